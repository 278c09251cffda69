#!/usr/bin/env python3
"""Second, independent implementation of docs/formats/key.md: writes key_vectors.json beside it.

Run it only when the format (and so its version tag) changes; the C++ test reads the result.
"""
import hashlib
import hmac
import json
import pathlib
from decimal import Decimal

CREDENTIALS = {"authorization", "api-key", "x-api-key", "openai-organization", "openai-project"}
UNKEYED = CREDENTIALS | {
    "accept-encoding", "content-length", "expect", "host", "x-request-id", "accept-language",
    "cache-control", "priority", "traceparent", "tracestate", "user-agent", "x-client-request-id",
    "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
UNKEYED_PREFIXES = ("x-slipstream-", "x-stainless-", "sec-fetch-")


class Number(str):
    """Source text of a number."""


class Object(list):
    """Members in source order."""


def quoted(text):
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
    return '"' + "".join(short.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


def decimal(text):
    sign, digits, exponent = Decimal(text).as_tuple()
    digits = "".join(map(str, digits)).lstrip("0")
    stripped = digits.rstrip("0")
    if not stripped:
        return "-0" if sign else "0"
    exponent += len(digits) - len(stripped)
    return ("-" if sign else "") + stripped + (f"e{exponent}" if exponent else "")


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


def canonical(body):
    value = json.loads(body, object_pairs_hook=Object, parse_int=Number, parse_float=Number)
    return written(value, top=True).encode()


def part(data):
    data = data.encode() if isinstance(data, str) else data
    return len(data).to_bytes(4, "big") + data


def fields(pairs):
    return len(pairs).to_bytes(4, "big") + b"".join(part(n) + part(v) for n, v in sorted(pairs, key=lambda f: f[0]))


def key_of(vector):
    method, target, _ = vector["head"][0].split(" ")
    headers = [(n.lower(), v.strip()) for n, v in (line.split(":", 1) for line in vector["head"][1:])]
    credentials = [f for f in headers if f[0] in CREDENTIALS]
    scope = bytes(32)
    if credentials:
        scope = hmac.new(vector["secret"].encode(), fields(credentials), hashlib.sha256).digest()
    path, mark, query = target.partition("?")
    keyed = [f for f in headers if f[0] not in UNKEYED and not f[0].startswith(UNKEYED_PREFIXES)]
    vary = [f for f in headers if f[0] == "x-slipstream-vary"]
    pre = b"".join(map(part, ("slipstream-key-v1", scope, vector["route"], vector["pool"], vector["epoch"],
                              method, path, mark + query)))
    pre += fields(keyed) + fields(vary) + part(vector.get("group", ""))
    pre += b"j" + part(canonical(vector["body"]))
    return hashlib.sha256(pre).hexdigest()


BODY = '{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":0}'
POST = "POST /v1/chat/completions HTTP/1.1"
cases = []


def case(name, body=BODY, headers=(), first=POST, secret="secret", route="default", pool="default", epoch="", group=""):
    vector = dict(name=name, secret=secret, route=route, pool=pool, epoch=epoch,
                  head=[first, *headers], body=body)
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

out = pathlib.Path(__file__).with_name("key_vectors.json")
out.write_text(json.dumps({"vectors": cases}, indent=1, ensure_ascii=True) + "\n")
print(len(cases), "vectors")
