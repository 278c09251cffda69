#!/usr/bin/env python3
"""Two implementations of docs/formats/key.md, one of them the product's, agree on generated bodies.

agree_test.py PROGRAM [COUNT [SEED]]; a disagreement prints the body and ends with 1.
"""
import importlib.util
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("second", ROOT / "src/contract/testdata/make_key_vectors.py")
second = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(second)

PATHS = [path for path in second.SURFACES]
NAMES = ["model", "messages", "temperature", "prompt", "input", "stream", "options", "user", "seed", "a", "b", "aa",
         "B", "\u00e9", "\U0001f600", "", "\"", "\\", "\x00", "\x7f", "a/b", "\u2028"]
TEXTS = ["", "a", "hi there", "\"", "\\", "/", "\n", "\x00", "\x1f", "\x7f", "\u00e9", "e\u0301", "\u4e2d", "\u2028",
         "\ufeff", "\U0001f600", "\ud7ff", "\ue000", "\uffff", "\U0010ffff"]
NUMBERS = ["0", "-0", "0.0", "-0.0e9", "0e0", "1", "1.0", "10", "1e1", "1E+1", "100e-2", "-12.50", "0.1", "0.70", "7e-1",
           "123456789012345678901234567890", "0.1000000000000000055511151231257827", "1e-320", "1e308", "1e999999",
           "1e-99999999999999", "1e-9999999999999999999", "0e99999999999999999999", "1.7976931348623157e308",
           "1.7976931348623159e308", "0.000001", "9e-7", "4294967295", "18446744073709551616"]
BROKEN_NUMBERS = ["01", "+1", ".5", "1.", "1e", "NaN", "Infinity", "0x1", "--1", "1_0"]


def spelled(dice, text):
    """One of the ways to write a string."""
    out = '"'
    for c in text:
        way = dice.random()
        if way < 0.2 or c < " " or (c in '"\\' and way < 0.5):
            units = c.encode("utf-16-be")
            hexes = [units[i:i + 2].hex() for i in range(0, len(units), 2)]
            out += "".join("\\u" + (h.upper() if dice.random() < 0.5 else h) for h in hexes)
        elif c in '"\\':
            out += "\\" + c
        elif c == "/" and way < 0.5:
            out += "\\/"
        else:
            out += c
    return out + '"'


def number(dice):
    if dice.random() < 0.6:
        return dice.choice(NUMBERS)
    digits = "".join(dice.choice("0123456789") for _ in range(dice.randint(1, 25))).lstrip("0") or "0"
    fraction = "." + "".join(dice.choice("0012345") for _ in range(dice.randint(1, 9))) if dice.random() < 0.5 else ""
    exponent = dice.choice("eE") + dice.choice(["", "+", "-"]) + str(dice.randint(0, 330)) if dice.random() < 0.5 else ""
    return dice.choice(["", "-"]) + digits + fraction + exponent


def space(dice):
    return dice.choice(["", "", "", " ", "\n", "\t", "\r\n  "])


def value(dice, depth):
    kind = dice.random()
    if kind < 0.3:
        return spelled(dice, "".join(dice.choice(TEXTS) for _ in range(dice.randint(0, 6))))
    if kind < 0.55:
        return number(dice)
    if kind < 0.7 or depth > 5:
        return dice.choice(["true", "false", "null"])
    if kind < 0.85:
        inner = ("," + space(dice)).join(value(dice, depth + 1) for _ in range(dice.randint(0, 4)))
        return "[" + space(dice) + inner + space(dice) + "]"
    return an_object(dice, depth + 1)


def an_object(dice, depth):
    names = dice.sample(NAMES, dice.randint(0, 6))
    if dice.random() < 0.01 and names:
        names.append(names[0])
    members = [space(dice) + spelled(dice, n) + space(dice) + ":" + space(dice) + value(dice, depth) for n in names]
    return "{" + ",".join(members) + space(dice) + "}"


def body(dice):
    """Bytes of a body; one in ten has something wrong."""
    text = space(dice) + an_object(dice, 1) + space(dice)
    way = dice.random()
    if way < 0.02:
        depth = dice.randint(60, 68)
        text = "[" * depth + "]" * depth
    elif way < 0.04:
        text = '{"a":' + dice.choice(BROKEN_NUMBERS) + "}"
    elif way < 0.05:
        text = '{"a":"' + dice.choice(["\\ud800", "\\udc00\\ud800", "\\ud83dx", "\\x", "\\u12g4", "\n", "\x01"]) + '"}'
    elif way < 0.06:
        text += dice.choice(["x", "{}", ",", "\ufeff"])
    data = text.encode()
    if way > 0.96:
        at = dice.randrange(len(data) + 1)
        data = data[:at] + bytes([dice.choice([0x00, 0x22, 0x2c, 0x5c, 0x7d, 0x80, 0xc0, 0xed, 0xff])]) + data[at + dice.randint(0, 1):]
    return data


def expected(path, data):
    try:
        canonical = second.canonical(data)
    except (ValueError, RecursionError):
        return "refused"
    vector = dict(secret="secret", route="default", pool="default", epoch="", head=["POST " + path + " HTTP/1.1"], body=data)
    return second.key_of(vector, canonical) + " " + canonical.hex()


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    dice = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    requests = [(dice.choice(PATHS), body(dice)) for _ in range(count)]
    lines = "".join(f"{path} {data.hex()}\n" for path, data in requests)
    answers = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    refused = 0
    for (path, data), seen in zip(requests, answers, strict=True):
        wanted = expected(path, data)
        refused += wanted == "refused"
        if wanted != seen:
            print(f"disagreement at {path}\nbody     {data!r}\nexpected {wanted}\nproduct  {seen}")
            return 1
    print(f"{count} bodies, {refused} of them refused by both: no disagreement")
    return 0 if count // 50 < refused < count // 2 else 1


if __name__ == "__main__":
    sys.exit(main())
