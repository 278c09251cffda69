#!/usr/bin/env python3
"""First the rules are tested on planted violations, then the repository is tested by the rules."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import layout  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[2]


def findings_in(files):
    """The findings in a temporary tree of {path: text}; each src folder gets its README."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        (root / "src").mkdir()
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            if path.parent.parent == root / "src" and not (path.parent / "README.md").exists():
                (path.parent / "README.md").write_text("# a folder\n")
        return layout.check_tree(root)


class PlantedViolations(unittest.TestCase):
    def refused(self, name, text, part):
        findings = findings_in({name: text})
        self.assertEqual(len(findings), 1, findings)
        self.assertIn(part, findings[0])

    def accepted(self, name, text):
        self.assertEqual(findings_in({name: text}), [])

    def test_include_direction(self):
        self.accepted("src/gateway/a.cc", '#include "flight/flight.h"\n#include "gateway/a.h"\n')
        self.refused("src/base/a.h", '#include "json/a.h"\n', "base must not include json")
        self.refused("src/http/a.cc", '#include "net/a.h"\n', "http must not include net")
        self.refused("src/flight/a.cc", '#include "contract/a.h"\n', "must not include contract")
        self.refused("src/admin/a.cc", '#include "gateway/a.h"\n', "admin must not include gateway")

    def test_lab_is_used_by_cli_only(self):
        self.accepted("src/cli/a.cc", '#include "lab/stub.h"\n')
        self.refused("src/gateway/a_test.cc", '#include "lab/stub.h"\n', "must not include lab")

    def test_include_style(self):
        self.refused("src/json/a.cc", '#include "a.h"\n', "folder/file.h")
        self.refused("src/json/a.cc", '#include "../base/text.h"\n', "folder/file.h")
        self.refused("src/json/a.cc", "#include <base/text.h>\n", "write")

    def test_foreign_libraries_stay_in_their_folder(self):
        self.accepted("src/net/a.cc", "#include <boost/asio/post.hpp>\n#include <openssl/ssl.h>\n")
        self.accepted("src/base/a.cc", "#include <openssl/evp.h>\n")
        self.refused("src/gateway/a.cc", "#include <boost/asio.hpp>\n", "boost/asio")
        self.refused("src/contract/a.cc", "#include <boost/asio/ip/tcp.hpp>\n", "boost/asio")
        self.refused("src/flight/a.cc", "#include <openssl/sha.h>\n", "openssl")

    def test_sleep_clock_randomness_detach(self):
        self.accepted("src/base/a.cc", "auto t = std::chrono::steady_clock::now();\n")
        self.accepted("src/http/a.cc", "// never std::chrono::steady_clock::now() here\n")
        self.refused("src/http/a.cc", "auto t = std::chrono::steady_clock::now();\n", "clock")
        self.refused("src/http/a.cc", "auto t = std::chrono::system_clock::now();\n", "clock")
        self.refused("src/http/a.cc", "std::random_device d;\n", "randomness")
        self.refused("src/base/a.cc", "void f() { std::this_thread::sleep_for(s); }\n", "sleeps")
        self.refused("tests/sim/a_test.cc", "void f() { std::this_thread::sleep_until(s); }\n", "sleeps")
        self.refused("src/net/a.cc", "void f() { worker.detach(); }\n", "join")

    def test_unfinished_work_and_machine_paths(self):
        self.refused("src/net/a.cc", "// TO" "DO: later\n", "unfinished")
        self.refused("docs/a.md", "FIX" "ME\n", "unfinished")
        self.refused("tools/a.sh", "cd /ho" "me/me/slipstream\n", "machine")
        self.accepted("docs/a.md", "see https://example.org/work/a and $HOME/work/a\n")

    def test_file_length(self):
        self.accepted("src/net/a.cc", "int x;\n" * 500)
        self.refused("src/net/a.cc", "int x;\n" * 501, "limit 500")
        self.accepted("src/net/a_test.cc", "int x;\n" * 800)
        self.refused("src/net/a_test.cc", "int x;\n" * 801, "limit 800")

    def test_function_length(self):
        def body(lines):
            return "  if (x) {\n    y();\n  }\n" * (lines // 3)
        namespace = "namespace slipstream::net {\nclass A {\n public:\n%s};\n}  // namespace\n"
        self.accepted("src/net/a.h", namespace % ("void f() {\n" + body(66) + "}\n"))
        self.refused("src/net/a.h", namespace % ("void f() {\n" + body(69) + "}\n"), "71 lines")
        long = "A::A(int x)\n    : a_{x}, b_{1, 2}, c_(R\"(})\") {\n" + body(72) + "}\n"
        self.refused("src/net/a.cc", long, "75 lines")
        self.refused("src/net/a_test.cc", "TEST(A, b) {\n" + body(75) + "}\n", "77 lines")
        lambdas = "int f(int x) {\n  auto g = [&](int y) {\n" + body(69) + "  };\n  return g(x);\n}\n"
        self.refused("src/net/a.cc", lambdas, "74 lines")
        table = "const Row kTable[] = {\n" + "    {f(1), '{'},\n" * 90 + "};\n"
        self.accepted("src/net/a.cc", table)
        many = "int f() {\n" + body(60) + "}\n"
        self.accepted("src/net/a.cc", many * 7)

    def test_co_await_expressions(self):
        self.accepted("src/net/a.cc", "auto f() { if (co_await read(x)) { g(a[1]); } }\n")
        self.refused("src/net/a.cc", "auto f() { co_await read(Options{1}); }\n", "co_await")
        self.refused("src/net/a.cc", "auto f() { co_await run([&] (int x) { return x; }); }\n", "co_await")

    def test_readme_per_folder(self):
        self.assertEqual(findings_in({"src/net/a.h": "int x;\n", "src/net/README.md": "a\n" * 40}), [])
        found = findings_in({"src/net/README.md": "a\n" * 41, "src/net/a.h": "int x;\n"})
        self.assertEqual(found, ["src/net/README.md: more than 40 lines"])
        with tempfile.TemporaryDirectory() as directory:
            folder = Path(directory) / "src" / "net"
            folder.mkdir(parents=True)
            (folder / "a.h").write_text("int x;\n")
            self.assertEqual(layout.check_tree(Path(directory)), ["src/net: README.md is missing"])
        self.refused("src/misc/a.h", "int x;\n", "no floor")


class Repository(unittest.TestCase):
    def test_keeps_the_rules(self):
        findings = layout.check_tree(REPOSITORY)
        self.assertEqual(len(findings), 0, "\n" + "\n".join(findings))


if __name__ == "__main__":
    unittest.main()
