"""The house rules that a machine can check, as functions from a source tree to findings.

Every rule applies to every file it names: there is no list of exceptions.
"""
import re
from pathlib import Path

# A folder may include folders of lower floors and itself.
FLOORS = {
    "base": 1,
    "json": 2, "sse": 2, "http": 2, "net": 2, "telemetry": 2, "config": 2, "flight": 2, "cache": 2,
    "contract": 3, "tenant": 3, "upstream": 3, "identity": 3, "cluster": 3, "lab": 3,
    "gateway": 4, "admin": 4,
    "cli": 5,
}
MAY_USE_LAB = {"lab", "cli"}

SOURCE_LINES_MAX = 500
TEST_LINES_MAX = 800
FUNCTION_LINES_MAX = 70
README_LINES_MAX = 40

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)
CODE_BANS = [  # (pattern, why, folder of src where it is allowed)
    (re.compile(r"this_thread::sleep|\bsleep_(for|until)\b|\b(u|nano)sleep\s*\("), "sleeps", None),
    (re.compile(r"\b(steady|system|high_resolution)_clock::now\b"), "reads a clock; use base/clock.h", "base"),
    (re.compile(r"\brandom_device\b"), "reads randomness; use base/random.h", "base"),
    (re.compile(r"\.detach\(\)"), "detaches a thread; join it", None),
]
INCLUDE_BANS = [  # (start of the included path, folders of src where it is allowed)
    ("boost/asio", {"net"}),
    ("openssl/", {"net", "base"}),
]
TEXT_BANS = [
    (re.compile(r"\b(TO[D]O|FIX[M]E)\b"), "unfinished work belongs in an issue"),
    (re.compile(r"(?<![\w.$}~-])/(home|root|work|Users)/\w"), "names a path of one machine"),
]
TEXT_SUFFIXES = {".h", ".cc", ".cmake", ".txt", ".md", ".py", ".sh", ".mjs", ".js", ".json", ".yaml", ".yml"}
SKIPPED_FOLDERS = {".git", "build", "node_modules", ".venv", "__pycache__"}

ACCESS_LABELS = re.compile(r"\s*((public|private|protected)\s*:\s*)*")

# In order: comments, raw strings, strings, characters (not the digit separator of 1'000).
OPAQUE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])+\'', re.S)


def code_only(text):
    """The text with comments and literals emptied; every line keeps its number."""
    def empty(match):
        found = match.group(0)
        lines = "\n" * found.count("\n")
        return lines if found.startswith("/") else '""' + lines
    return OPAQUE.sub(empty, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def functions(code):
    """Yields (first line, last line) of every function body that stands at namespace or class level.

    Knows this project's format: a body's brace follows a blank, a braced initializer follows a name.
    """
    stack = []     # per open brace: "scope", "initializer", "function" or "block"
    header = 0     # where the text before the next brace begins
    begin = 0
    for match in re.finditer(r"[{};]|^[ \t]*#[^\n]*", code, re.M):
        token, at = match.group(0), match.start()
        outside = all(kind == "scope" for kind in stack)
        if token == "{":
            before = code[header:at]
            if outside and before.strip() and not before[-1:].isspace() and before[-1] != ")":
                stack.append("initializer")
            elif outside and re.search(r"\b(namespace|class|struct|union|enum)\b[^()]*$", before) or \
                    outside and re.search(r'\bextern\s+""\s*$', before):
                stack.append("scope")
            elif outside and "(" in before and not re.search(r"=\s*$", before):
                stack.append("function")
                begin = header + ACCESS_LABELS.match(before).end()
            else:
                stack.append("block")
        elif token == "}":
            kind = stack.pop() if stack else "block"
            if kind == "function":
                yield line_of(code, begin), line_of(code, at)
            if kind == "initializer":
                continue  # the header goes on after it
        if all(kind == "scope" for kind in stack):
            header = match.end()


def awaited_expressions(code):
    """Yields (line, expression) for each co_await, up to the end of its full expression."""
    for match in re.finditer(r"\bco_await\b", code):
        depth, end = 0, match.end()
        while end < len(code):
            char = code[end]
            if char in "([{":
                depth += 1
            elif char in ")]}":
                depth -= 1
            if depth < 0 or (char in ";," and depth == 0):
                break
            end += 1
        yield line_of(code, match.start()), code[match.end():end]


def check_includes(folder, name, text):
    for match in INCLUDE.finditer(text):
        quote, path = match.groups()
        line = line_of(text, match.start())
        for start, allowed in INCLUDE_BANS:
            if path.startswith(start) and folder not in allowed:
                yield f"{name}:{line}: includes <{path}> outside {', '.join(sorted(allowed))}"
        if quote != '"':
            if path.split("/")[0] in FLOORS and "/" in path:
                yield f'{name}:{line}: write "{path}", not <{path}>'
            continue
        target, slash, _ = path.partition("/")
        if not slash or target in {".", ".."}:
            yield f'{name}:{line}: "{path}" is not of the form "folder/file.h"'
        elif target in FLOORS and target != folder:
            if FLOORS[target] >= FLOORS[folder]:
                yield f"{name}:{line}: {folder} must not include {target}, which is not on a lower floor"
            elif target == "lab" and folder not in MAY_USE_LAB:
                yield f"{name}:{line}: {folder} must not include lab"


def check_code(folder, name, text):
    code = code_only(text)
    for pattern, why, allowed in CODE_BANS:
        if name.startswith("bench/") or folder is not None and folder == allowed:
            continue  # a load generator paces itself by the machine's clock
        for match in pattern.finditer(code):
            yield f"{name}:{line_of(code, match.start())}: {why}"
    for first, last in functions(code):
        if last - first + 1 > FUNCTION_LINES_MAX:
            yield f"{name}:{first}: a function of {last - first + 1} lines (limit {FUNCTION_LINES_MAX})"
    for line, expression in awaited_expressions(code):
        if "{" in expression or re.search(r"(?<![\w)\]])\s*\[[^\]]*\]\s*[({]", expression):
            yield f"{name}:{line}: nothing but names and calls inside a co_await expression"


def check_length(name, text):
    is_test = re.search(r"_(test|bench|fuzz)\.cc$", name) or not name.startswith("src/")
    limit = TEST_LINES_MAX if is_test else SOURCE_LINES_MAX
    lines = text.count("\n")
    if lines > limit:
        yield f"{name}: {lines} lines (limit {limit})"


def check_readmes(root):
    for folder in sorted(p for p in (root / "src").iterdir() if p.is_dir()):
        if not any(folder.glob("*.h")) and not any(folder.glob("*.cc")):
            continue
        if folder.name not in FLOORS:
            yield f"src/{folder.name}: no floor is known for this folder"
        readme = folder / "README.md"
        if not readme.exists():
            yield f"src/{folder.name}: README.md is missing"
        elif readme.read_text().count("\n") > README_LINES_MAX:
            yield f"src/{folder.name}/README.md: more than {README_LINES_MAX} lines"


def text_files(root):
    for path in sorted(root.iterdir()):
        if path.is_symlink():
            continue
        if path.is_dir():
            if path.name not in SKIPPED_FOLDERS:
                yield from text_files(path)
        elif path.suffix in TEXT_SUFFIXES or path.name == "Makefile":
            yield path


def check_file(root, path):
    name = path.relative_to(root).as_posix()
    text = path.read_text(errors="replace")
    for pattern, why in TEXT_BANS:
        for match in pattern.finditer(text):
            yield f"{name}:{line_of(text, match.start())}: {why}"
    if path.suffix not in {".h", ".cc"}:
        return
    parts = name.split("/")
    in_src = parts[0] == "src" and len(parts) > 2
    folder = parts[1] if in_src else None
    yield from check_length(name, text)
    yield from check_code(folder, name, text)
    if in_src and folder in FLOORS:
        yield from check_includes(folder, name, text)


def check_tree(root):
    """All findings in the tree at `root`, as printable lines."""
    findings = list(check_readmes(root))
    for path in text_files(root):
        findings.extend(check_file(root, path))
    return findings
