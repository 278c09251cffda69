#!/usr/bin/env python3
"""Second, independent implementation of docs/formats/key.md: writes key_vectors.json beside it.

Run it only when the format (and so its version tag) changes; the C++ test reads the result.
"""
import hashlib
import hmac
import json
import pathlib

CREDENTIALS = {"authorization", "api-key", "x-api-key", "openai-organization", "openai-project"}
UNKEYED = CREDENTIALS | {
    "accept-encoding", "content-length", "expect", "host", "x-request-id", "accept-language",
    "cache-control", "priority", "traceparent", "tracestate", "user-agent", "x-client-request-id",
    "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
UNKEYED_PREFIXES = ("x-slipstream-", "x-stainless-", "sec-fetch-")
HOP = {"forwarded", "via", "x-real-ip", "x-forwarded-for", "x-forwarded-host", "x-forwarded-port", "x-forwarded-proto"}
LOGS_HOP = {"vllm", "sglang", "llamacpp", "ollama", "tgi", "lmstudio"}
ALWAYS_KEYED = {"anthropic-beta", "anthropic-version", "content-encoding", "content-type", "cookie",
                "idempotency-key", "openai-beta", "x-conversation-id"}
HOSTED = {"user", "safety_identifier", "service_tier", "prompt_cache_key", "prompt_cache_retention",
          "prompt_cache_options"}


def ignored(profile, path):
    """Top-level members that are not in the key."""
    if path.startswith("/openai/deployments/"):
        path = "/v1/" + path.split("/", 4)[4]
    if profile == "vllm" and path in ("/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/responses",
                                      "/v1/rerank", "/v2/rerank", "/rerank"):
        return {"user"}
    if profile == "ollama" and path == "/v1/chat/completions":
        return HOSTED | {"store", "metadata"}
    if profile == "ollama" and path in ("/v1/completions", "/v1/embeddings", "/v1/responses"):
        return HOSTED
    return set()


class Number(str):
    """Source text of a number."""


class Object(list):
    """Members in source order."""


def quoted(text):
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
    return '"' + "".join(short.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


def decimal(text):
    sign = "-" if text.startswith("-") else ""
    mantissa, _, power = text.lstrip("-").lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).strip("0")
    if not digits:
        return sign + "0"
    if len(power.lstrip("+-").lstrip("0")) > 15:
        return text
    exponent = int(power or "0") - len(fraction) + len(whole + fraction) - len((whole + fraction).rstrip("0"))
    return sign + digits + (f"e{exponent}" if exponent else "")


def written(value, top=False):
    if isinstance(value, Object):
        members = sorted(value, key=lambda m: quoted(m[0]).encode()) if top else value
        def member(v): return decimal(v) if top and isinstance(v, Number) else written(v)
        return "{" + ",".join(quoted(k) + ":" + member(v) for k, v in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    if isinstance(value, Number):
        return str(value)
    return {True: "true", False: "false", None: "null"}[value] if not isinstance(value, str) else quoted(value)


def unique(members):
    names = [name for name, _ in members]
    if len(set(names)) != len(names):
        raise ValueError("duplicate member name")
    return Object(members)


def finite(text):
    if abs(float(text)) == float("inf"):
        raise ValueError("not finite")
    return Number(text)


def refuse(word):
    raise ValueError(word)


def check(value, depth=1):
    """Nesting and lone surrogates; the parser sees to the rest."""
    if isinstance(value, Object):
        for name, member in value:
            name.encode()
            check(member, depth + 1)
    elif isinstance(value, list):
        for element in value:
            check(element, depth + 1)
    elif isinstance(value, str):
        value.encode()
    if isinstance(value, list) and depth > 64:
        raise ValueError("too deep")


def canonical(body, left_out=frozenset()):
    """Raises ValueError for what is answered with 400."""
    text = body if isinstance(body, str) else body.decode()
    value = json.loads(text, object_pairs_hook=unique, parse_int=finite, parse_float=finite, parse_constant=refuse)
    check(value)
    if isinstance(value, Object):
        value = Object(m for m in value if m[0] not in left_out)
    return written(value, top=True).encode()


def form(body, boundary):
    """The parts of a well-formed form."""
    body = body.encode() if isinstance(body, str) else body
    pieces = (b"\r\n" + body).split(b"\r\n--" + boundary.encode())
    assert pieces[0] == b"" and pieces[-1].startswith(b"--")
    parts = [p[2:].split(b"\r\n\r\n", 1) for p in pieces[1:-1]]
    return len(parts).to_bytes(4, "big") + b"".join(part(h) + part(c) for h, c in parts)


def part(data):
    data = data.encode() if isinstance(data, str) else data
    return len(data).to_bytes(4, "big") + data


def fields(pairs):
    return len(pairs).to_bytes(4, "big") + b"".join(part(n) + part(v) for n, v in sorted(pairs, key=lambda f: f[0]))


def key_of(vector, canonical_body=None):
    method, target, _ = vector["head"][0].split(" ")
    headers = [(n.lower(), v.strip()) for n, v in (line.split(":", 1) for line in vector["head"][1:])]
    credentials = [f for f in headers if f[0] in CREDENTIALS]
    scope = bytes(32)
    if credentials:
        scope = hmac.new(vector["secret"].encode(), fields(credentials), hashlib.sha256).digest()
    path, mark, query = target.partition("?")
    profile = vector.get("profile", "generic")
    unkeyed = UNKEYED | (HOP if profile in LOGS_HOP else set())
    unkeyed |= {vector.get("harmless_header")} - ALWAYS_KEYED
    keyed = [f for f in headers if f[0] not in unkeyed and not f[0].startswith(UNKEYED_PREFIXES)]
    vary = [f for f in headers if f[0] == "x-slipstream-vary"]
    content_type = dict(headers).get("content-type", "")
    if path == "/v1/audio/transcriptions" and "boundary=" in content_type:
        body = b"m" + part(form(vector["body"], content_type.partition("boundary=")[2].strip('"')))
        keyed = [(n, "multipart/form-data" if n == "content-type" else v) for n, v in keyed]
    elif path == "/v1/audio/transcriptions" or "content-encoding" in dict(headers):
        body = b"r" + part(vector["body"])
    else:
        body = canonical_body or canonical(vector["body"], ignored(profile, path))
        body = b"j" + part(body)
    pre = b"".join(map(part, ("slipstream-key-v2", scope, vector["route"], vector["pool"], vector["epoch"],
                              method, path, mark + query)))
    pre += fields(keyed) + fields(vary) + part(vector.get("group", "")) + body
    return hashlib.sha256(pre).hexdigest()


BODY = '{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":0}'
POST = "POST /v1/chat/completions HTTP/1.1"
cases = []


def case(name, body=BODY, headers=(), first=POST, secret="secret", route="default", pool="default", epoch="", group="", **more):
    vector = dict(name=name, secret=secret, route=route, pool=pool, epoch=epoch,
                  head=[first, *headers], body=body, **more)
    if group:
        vector["group"] = group
    vector["key"] = key_of(vector)
    cases.append(vector)


def content(text):
    return '{"messages":[{"role":"user","content":"' + text + '"}]}'


case("worked example of docs/formats/key.md", '{ "temperature": 0.0, "model": "m\\u0031", "messages": [] }',
     headers=["Content-Type: application/json", "User-Agent: curl/8"])
case("plain")
case("white space and order", ' {\n"temperature" : 0 ,\t"messages": [ {"role":"user" ,"content":"hi"} ],"model":"m"}\r\n')
case("nested order is kept", '{"model":"m","messages":[{"content":"hi","role":"user"}],"temperature":0}')
for text in ["\\u0068i", "h\\u0069", "\\/", "/", "\\n", "\\u000a", "\\u000A", "\\u001f", "\\u0000", "\\\"", "\\u0022",
             "\\\\", "\u00e9", "\\u00e9", "e\\u0301", "\\ud83d\\ude00", "\U0001f600", "\u007f", "\\b\\f\\r\\t", ""]:
    case("escape " + ascii(text), content(text))
for number in ["0", "0.0", "0e0", "-0", "0.7", "7e-1", "0.70", "1", "1.0", "10", "1e1", "1E+1", "-12.50", "123456789012345678901234567890",
               "0.1000000000000000055511151231257827", "1e-320", "1e-7"]:
    case("top-level number " + number, '{"temperature":' + number + "}")
for number in ["1", "1.0", "1e0"]:
    case("nested number " + number, '{"logit_bias":{"50256":' + number + "}}")
for value in ["null", "true", "false", "[]", "{}", '""']:
    case("value " + value, '{"stop":' + value + "}")
case("empty object", "{}")
case("escaped member name", '{"\\u006dodel":"m"}')
case("member names by bytes", '{"b":1,"a":1,"B":1,"aa":1,"\u00e9":1,"\\"":1}')
case("header order does not matter", headers=["x-b: 2", "x-a: 1"])
case("header order, other way round", headers=["X-A: 1", "X-B:   2"])
case("header values of one name keep their order", headers=["x-a: 2", "x-a: 1"])
case("indifferent headers", headers=["User-Agent: curl/8", "x-stainless-retry-count: 1", "sec-fetch-mode: cors",
                                     "traceparent: 00-1-2-01", "x-request-id: r", "priority: u=1", "accept-encoding: gzip"])
case("content type", headers=["Content-Type: application/json"])
case("idempotency key", headers=["Idempotency-Key: k1"])
case("vary", headers=["X-Slipstream-Vary: snapshot=7"])
case("group", headers=['X-Slipstream-Coalesce: share; group="g"'], group="g")
case("bearer", headers=["Authorization: Bearer t1"])
case("bearer of another tenant", headers=["Authorization: Bearer t2"])
case("bearer under another secret", headers=["Authorization: Bearer t1"], secret="other")
case("api key", headers=["api-key: t1"])
case("organization narrows", headers=["Authorization: Bearer t1", "OpenAI-Organization: o"])
case("query", first="POST /v1/chat/completions?api-version=1 HTTP/1.1")
case("empty query", first="POST /v1/chat/completions? HTTP/1.1")
case("route", route="gold")
case("pool", pool="gold")
case("epoch", epoch="sha256:1")

case("content encoding", headers=["Content-Encoding: zstd"])
case("two varies keep their order", headers=["X-Slipstream-Vary: b=2", "X-Slipstream-Vary: a=1"])
case("a vary of several", headers=['X-Slipstream-Vary: snapshot=7, prompt="v3";p=1'])
case("an empty vary is one", headers=["X-Slipstream-Vary:"])
case("azure deployment", first="POST /openai/deployments/gpt/chat/completions?api-version=2024-10-21 HTTP/1.1")

SURFACES = {
    "/v1/chat/completions": BODY,
    "/v1/completions": '{"model":"m","prompt":["a",[1,2]],"temperature":0,"echo":true}',
    "/v1/embeddings": '{"model":"m","input":["a","b"],"encoding_format":"base64","dimensions":256}',
    "/v1/responses": '{"model":"m","input":"hi","store":false,"temperature":0,"text":{"format":{"type":"text"}}}',
    "/v1/rerank": '{"model":"m","query":"q","documents":["a","b"],"top_n":1}',
    "/v2/rerank": '{"model":"m","query":"q","documents":["a","b"],"top_n":1}',
    "/rerank": '{"query":"q","documents":["a","b"]}',
    "/tokenize": '{"model":"m","prompt":"hi"}',
    "/v1/tokenize": '{"content":"hi","with_pieces":true}',
    "/v1/messages": '{"model":"c","max_tokens":16,"messages":[{"role":"user","content":"hi"}],"metadata":{"user_id":"u"}}',
    "/v1/messages/count_tokens": '{"model":"c","messages":[{"role":"user","content":"hi"}]}',
    "/api/chat": '{"model":"l","messages":[{"role":"user","content":"hi"}],"options":{"temperature":0.0,"seed":7}}',
    "/api/generate": '{"model":"l","prompt":"hi","options":{"num_predict":1.0},"keep_alive":"5m"}',
    "/api/embed": '{"model":"l","input":["a"],"truncate":true}',
    "/openai/deployments/d/completions": '{"prompt":"a"}',
    "/openai/deployments/d/embeddings": '{"input":"a"}',
}
PROFILES = ["generic", "openai", "anthropic", "vllm", "sglang", "llamacpp", "ollama"]
for path, body in SURFACES.items():
    post = "POST " + path + " HTTP/1.1"
    case(path, body, first=post)
    case(path + ", another spelling", "\n" + body.replace(":", " : ").replace('"model"', '"\\u006dodel"'), first=post)
    case(path + ", one more", body[:-1] + ',"x_new":1.50}', first=post)
    case(path + ", a number below the top", body[:-1] + ',"x_new":[1.50]}', first=post)
    case(path + ", streamed", body[:-1] + ',"stream":true}', first=post)
    for profile in PROFILES if "/v1/" in path else ["generic", "ollama"]:
        marks = ',"user":"u","prompt_cache_key":"k"}'
        case(path + ", marks of a caller, " + profile, body[:-1] + marks, first=post, profile=profile)
for profile in PROFILES:
    case("hop fields, " + profile, headers=["X-Forwarded-For: 10.0.0.1", "Via: 1.1 p", "X-Real-IP: 10.0.0.1"], profile=profile)
for body in ['{"user":"u"}', '{"a":1,"user":"u"}', '{"user":"u","z":1}', '{"store":true,"user":"u"}',
             '{"a":1,"metadata":{},"n":1,"service_tier":"x","store":false,"user":null,"z":{"user":1}}']:
    case("only ignored fields are left out of " + body, body, profile="ollama")
for header in ["X-Team: a", "Cookie: a=b", "X-Forwarded-For: 1", "Idempotency-Key: 1"]:
    case("declared harmless: " + header, headers=[header], harmless_header=header.split(":")[0].lower())

FORM = "POST /v1/audio/transcriptions HTTP/1.1"


def form_body(boundary, *parts):
    lines = "".join("--" + boundary + "\r\n" + head + "\r\n\r\n" + content + "\r\n" for head, content in parts)
    return lines + "--" + boundary + "--\r\n"


def field(name, value):
    return 'Content-Disposition: form-data; name="' + name + '"', value


def audio(content, name="a.wav"):
    return 'Content-Disposition: form-data; name="file"; filename="' + name + '"\r\nContent-Type: audio/wav', content


for boundary in ["B", "----WebKitFormBoundary7MA4", "'(+_,-./:=?)'"]:
    shown = boundary if boundary.isalnum() else '"' + boundary + '"'
    kind = ["Content-Type: multipart/form-data; boundary=" + shown]
    case("form, boundary " + boundary, form_body(boundary, audio("RIFF"), field("model", "w")), kind, FORM)
    case("form of no parts, boundary " + boundary, form_body(boundary, field("model", "")), kind, FORM)
kind = ["content-type: multipart/form-data; boundary=B"]
case("form, other order", form_body("B", field("model", "w"), audio("RIFF")), kind, FORM)
case("form, other name of the file", form_body("B", audio("RIFF", "b.mp3"), field("model", "w")), kind, FORM)
case("form, other bytes", form_body("B", audio("RIFG"), field("model", "w")), kind, FORM)
case("form, line ends inside", form_body("B", audio("\r\n--\r\n-B\n\r\n"), field("model", "w")), kind, FORM)
case("form, a list", form_body("B", audio(""), field("include[]", "a"), field("include[]", "b")), kind, FORM)
case("no form", "{}", ["content-type: application/json"], FORM)

if __name__ == "__main__":
    out = pathlib.Path(__file__).with_name("key_vectors.json")
    out.write_text(json.dumps({"vectors": cases}, indent=1, ensure_ascii=True) + "\n")
    print(len(cases), "vectors")
