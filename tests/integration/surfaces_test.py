"""Every surface, asked with the client libraries that people use for it.

Each case is asked twice at the same moment, through two clients. First straight against the stub:
the library understands the stub's answers, and the stub generates twice. Then through the gateway:
both callers get the same whole answer, and one generation served both. The stub writes the number of its call into every token, and counts calls by path.
"""

import collections
import json
import re

from support import packages, wire
from support.case import Case, main

# What stands behind the gateway: it decides what greedy decoding means on a surface.
PROFILES = {"anthropic": "ollama", "ollama": "ollama"}
PROFILE = "vllm"  # of all others

TOKENS = 4
FIRST_TOKEN = "1s"  # both callers of a case have arrived long before
SAME = [{}, {}]
RETRIED = [{}, {"x-stainless-retry-count": "1"}]

STREAMED, WHOLE = True, False
Asked = collections.namedtuple("Asked", "surface path finish stream headers")


def both(surface, path, finish, streamed_finish=None):
    return [Asked(surface, path, finish, WHOLE, SAME),
            Asked(surface, path, streamed_finish or finish, STREAMED, SAME)]


def pure(surface, path):
    return [Asked(surface, path, None, WHOLE, SAME)]


CHAT = both("chat", "/v1/chat/completions", "stop")
OPENAI = [*CHAT,
          *both("completions", "/v1/completions", "stop"),
          *both("responses", "/v1/responses", "completed"),
          *pure("embeddings", "/v1/embeddings"),
          *both("transcriptions", "/v1/audio/transcriptions", None, "done"),
          Asked("transcripts", "/v1/audio/transcriptions", None, WHOLE, SAME)]
CASES = {
    "openai": OPENAI,
    "openai for Python": OPENAI,
    "anthropic": [*both("messages", "/v1/messages", "end_turn"),
                  *pure("count_tokens", "/v1/messages/count_tokens")],
    "ollama": [*both("chat", "/api/chat", "stop"),
               *both("generate", "/api/generate", "stop"),
               *pure("embed", "/api/embed")],
    "ai": [*both("responses", "/v1/responses", "stop"),
           *CHAT,
           *both("compatible", "/v1/chat/completions", "stop"),
           *pure("embeddings", "/v1/embeddings")],
    "langchain": [*CHAT, *pure("embeddings", "/v1/embeddings")],
}
# A retry differs from the call that it repeats in a header, and asks for the same.
CASES = {library: [*cases, cases[0]._replace(headers=RETRIED)] for library, cases in CASES.items()}
PURE = {"/v1/embeddings", "/v1/messages/count_tokens", "/api/embed"}
SHARED = {case.path for cases in CASES.values() for case in cases}  # all: two equal calls become one


class Surfaces(Case):
    @classmethod
    def setUpClass(cls):
        clients = packages.node_clients()
        python = packages.python_with(clients / "requirements.txt")
        cls.commands = {library: ["node", clients / "every_surface.mjs"] for library in CASES}
        cls.commands["openai for Python"] = [python, clients / "every_surface.py"]

    def ask_all(self, library, url, model="stub"):
        """Both reports of every case, in the order of the cases."""
        job = {"library": library, "url": url, "model": model, "cases": [
            {"surface": case.surface, "stream": case.stream, "headers": case.headers,
             "prompt": f"case {number}"} for number, case in enumerate(CASES[library])]}
        child = self.start_process([*self.commands[library], json.dumps(job)],
                                   {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"})
        self.assertEqual(child.wait(), 0, child.output())
        reports = [json.loads(line) for line in child.lines("stdout")]
        return [[report for report in reports if report["case"] == number]
                for number in range(len(CASES[library]))]

    def generations(self, stub):
        """How often the stub was asked, by path; paths that nobody asked are left out."""
        paths = wire.ask(stub.port, "GET", "/stub/stats").json()["calls_by_path"]
        return {path: calls for path, calls in paths.items() if calls}

    def check_answer(self, case, report):
        """The library made of the answer what the stub said, to its end."""
        self.assertIsNone(report["error"])
        self.assertEqual(report["finish"], case.finish)
        if case.path in PURE:
            self.assertTrue(json.loads(report["text"]))
        else:
            call = re.match(r" ?c(\d+)t0", report["text"])
            self.assertIsNotNone(call, report["text"])
            tokens = " ".join(f"c{call.group(1)}t{index}" for index in range(TOKENS))
            self.assertEqual(report["text"].strip(), tokens)

    def check(self, library, url, stub, shared):
        expected = collections.Counter()
        for case, reports in zip(CASES[library], self.ask_all(library, url)):
            one = case.path in shared
            expected[case.path] += 1 if one else 2
            with self.subTest(library=library, surface=case.surface, stream=case.stream,
                              headers=case.headers):
                self.assertEqual(len(reports), 2)
                for report in reports:
                    self.check_answer(case, report)
                texts = {report["text"] for report in reports}
                self.assertEqual(len(texts), 1 if one or case.path in PURE else 2)
        self.assertEqual(self.generations(stub), expected)

    def test_straight_against_the_stub(self):
        for library in CASES:
            with self.subTest(library=library):
                stub = self.start_stub(first_token=FIRST_TOKEN, tokens=TOKENS)
                self.check(library, f"http://127.0.0.1:{stub.port}", stub, shared=set())

    def test_every_library_hears_of_a_failed_generation(self):
        """The stub fails after a token: in the stream in the surface's shape, else with a 500."""
        stub = self.start_stub(first_token="0ms", tokens=TOKENS)
        for library, cases in CASES.items():
            reports = self.ask_all(library, f"http://127.0.0.1:{stub.port}", "stub:error_event=1")
            for case, heard in zip(cases, reports):
                with self.subTest(library=library, surface=case.surface, stream=case.stream):
                    for report in heard:
                        self.assertIn("the stub was told to fail", report["error"] or "")

    def test_through_the_gateway(self):
        for library in CASES:
            with self.subTest(library=library):
                stub = self.start_stub(first_token=FIRST_TOKEN, tokens=TOKENS)
                gateway = self.start_gateway(
                    stub.port, {"upstream.profile": PROFILES.get(library, PROFILE)})
                self.check(library, gateway.url, stub, SHARED)

    def test_every_library_hears_of_a_broken_stream_through_the_gateway(self):
        """The stub breaks off after a token: the gateway says so as each library understands it."""
        stub = self.start_stub(first_token="0ms", tokens=TOKENS)
        gateway = self.start_gateway(stub.port)
        for library, cases in CASES.items():
            reports = self.ask_all(library, gateway.url, "stub:cut=1,cut_as=reset")
            for case, heard in zip(cases, reports):
                if not case.stream or case.path == "/v1/audio/transcriptions":
                    continue
                with self.subTest(library=library, surface=case.surface):
                    for report in heard:
                        self.assertTrue(report["error"])
                        if library != "ai":  # it drops what it has not read when a body breaks
                            self.assertIn("The upstream closed", report["error"])

    def test_the_stub_changes_its_identity_when_told(self):
        """As a server does when it is upgraded or its model is pulled again."""
        stub = self.start_stub(identity="server=ollama,digest=ab")

        def look():
            return wire.ask(stub.port, "GET", "/api/tags").json()["models"][0]["digest"]
        self.assertEqual(look(), "ab")
        self.assertEqual(wire.ask(stub.port, "GET", "/version").status, 404)  # vLLM's
        self.assertEqual(wire.ask(stub.port, "POST", "/stub/identity", b"digest=cd").status, 200)
        self.assertEqual(look(), "cd")


if __name__ == "__main__":
    main()
