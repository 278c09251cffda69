"""A real llama.cpp server with a small model behind the gateway: its own counters are the witness.

Needs the packages of support/engine_requirements.txt; skipped, loudly, only if they cannot be
installed (no network), and not even then if SLIPSTREAM_REQUIRE_ENGINE is set.
"""

import json
import os
import re
import sys
import unittest

from support import chat, packages, process, wire
from support.case import Case, main
from support.prometheus import Samples
from support.waiting import wait_until

SUPPORT = process.REPOSITORY / "tests/integration/support"
MODEL_FILE = process.REPOSITORY / "build/gemma-3-270m-q4_k_m.gguf"
SLOTS = 4
TOKENS_PER_SLOT = 2048
TOKENS = 64
GENERATION_SECONDS = 120  # 64 tokens take two seconds on one idle core
BANNER = "\n" + "*" * 78 + "\n* {}\n" + "*" * 78 + "\n"


class Engine(process.Process):
    """llama.cpp's HTTP server on a port of its own, with its counters."""

    def __init__(self, python):
        super().__init__([python, SUPPORT / "engine.py", MODEL_FILE, SLOTS, TOKENS_PER_SLOT])
        try:
            ready = self.wait_for_line(r"^engine listening on (\d+)$", GENERATION_SECONDS)
        except BaseException:
            self.kill()
            raise
        self.port = int(ready.group(1))

    def metric(self, name):
        samples = Samples(wire.ask(self.port, "GET", "/metrics").body.decode())
        return samples.total(f"llamacpp:{name}")

    def launches(self):
        """How many generations the engine says it has started."""
        return len(re.findall(r"launch_slot_: .*processing task", self.output()))

    def slots(self):
        return wire.ask(self.port, "GET", "/slots").json()

    def busy(self):
        return sum(slot["is_processing"] for slot in self.slots())

    def wait_until_idle(self, seconds):
        wait_until(lambda: not self.busy(), "every slot of the engine to be idle", seconds)


class EngineCase(Case):
    @classmethod
    def setUpClass(cls):
        try:
            python = packages.python_with(SUPPORT / "engine_requirements.txt")
        except packages.NotInstallable as failure:
            if os.environ.get("SLIPSTREAM_REQUIRE_ENGINE"):
                raise
            print(BANNER.format("SKIPPED: the llama.cpp engine could not be installed"),
                  failure, file=sys.stderr)
            raise unittest.SkipTest("the llama.cpp engine could not be installed") from failure
        cls.engine = Engine(python)
        cls.addClassCleanup(cls.engine.kill)

    def setUp(self):
        super().setUp()
        self._processes.append(self.engine)  # shown on failure, ended with the class
        self.engine.wait_until_idle(GENERATION_SECONDS)
        self.launches_before = self.engine.launches()
        self.tokens_before = self.engine.metric("tokens_predicted_total")
        self.gateway = self.start_gateway(self.engine.port)

    def ask(self, content, **members):
        """Sends one greedy streamed request on a connection of its own."""
        connection = wire.Connection(self.gateway.port, GENERATION_SECONDS)
        self.addCleanup(connection.close)
        connection.request("POST", chat.PATH, chat.request(
            content, **{"max_tokens": TOKENS, "stream_options": {"include_usage": True},
                        **members}))
        return connection

    def finish(self, connections):
        answers = [connection.answer() for connection in connections]
        for answer in answers:
            self.assertEqual(answer.status, 200, answer.body)
            self.assertTrue(answer.whole)
            self.assertEqual(answer.events()[-1], "[DONE]")
        return answers

    def assert_engine_did(self, generations, tokens):
        """The engine started so many generations and made so many tokens, and is done."""
        self.engine.wait_until_idle(GENERATION_SECONDS)
        made = wait_until(
            lambda: (made := self.engine.metric("tokens_predicted_total") - self.tokens_before)
            >= tokens and made, f"{tokens} tokens to be counted")
        self.assertEqual(made, tokens)
        self.assertEqual(self.engine.launches() - self.launches_before, generations)


def usage(answer):
    """The completion tokens that the engine reports in its last chunk."""
    chunks = [json.loads(event) for event in answer.events() if event != "[DONE]"]
    return next(chunk["usage"]["completion_tokens"] for chunk in chunks if chunk.get("usage"))


class RealEngine(EngineCase):
    def test_sixteen_identical_greedy_requests_are_one_generation(self):
        early = [self.ask("Tell me a long story about the sea.") for _ in range(8)]
        first = early[0].head()
        early[0].read_until(first, b'"content":')
        late = [self.ask("Tell me a long story about the sea.") for _ in range(8)]
        answers = self.finish(early[1:] + late)
        answers.append(early[0].rest(first))
        self.assertTrue(first.whole)
        self.assertEqual(len({answer.text() for answer in answers}), 1)
        self.assertTrue(first.text())
        self.assertEqual(len({answer.body for answer in answers}), 1)  # one id, one time, one text
        roles = sorted(answer.field("x-slipstream").split(";")[0] for answer in answers)
        self.assertEqual(roles, ["follower"] * 15 + ["leader"])
        self.assert_engine_did(generations=1, tokens=usage(first))

    def test_sixteen_identical_whole_answers_are_one_generation(self):
        answers = self.finish_whole([self.ask("Name the planets.", stream=None,
                                              stream_options=None) for _ in range(16)])
        self.assertEqual(len({answer.text() for answer in answers}), 1)
        self.assert_engine_did(
            generations=1, tokens=answers[0].json()["usage"]["completion_tokens"])

    def finish_whole(self, connections):
        answers = [connection.answer() for connection in connections]
        self.assertEqual({answer.status for answer in answers}, {200})
        return answers

    def test_four_different_requests_are_four_generations(self):
        answers = self.finish([self.ask(f"Count to {number} in words.", max_tokens=24)
                               for number in (5, 6, 7, 8)])
        self.assert_engine_did(generations=4, tokens=sum(map(usage, answers)))

    def test_four_sampled_copies_are_four_generations(self):
        answers = self.finish([self.ask("Say something.", temperature=1, max_tokens=24)
                               for _ in range(4)])
        self.assert_engine_did(generations=4, tokens=sum(map(usage, answers)))

    def test_the_engine_stops_when_the_only_caller_leaves(self):
        tokens = TOKENS_PER_SLOT - 256  # would take most of a minute
        leaving = self.ask("Tell me an endless story.", max_tokens=tokens)
        answer = leaving.head()
        leaving.read_until(answer, b'"content":')
        leaving.close()
        self.engine.wait_until_idle(seconds=20)
        (slot,) = [slot for slot in self.engine.slots()
                   if slot.get("params", {}).get("max_tokens") == tokens]
        self.assertLess(slot["next_token"][0]["n_decoded"], tokens // 2)
        wait_until(lambda: "cancel task" in self.engine.output(), "the engine to note the cancel")

    def test_the_engine_goes_on_for_the_caller_who_stays(self):
        leaving = self.ask("Tell me a story about two friends.")
        answer = leaving.head()
        leaving.read_until(answer, b'"content":')
        staying = self.ask("Tell me a story about two friends.")
        head = staying.head()
        staying.read_until(head, b'"content":')
        leaving.close()
        staying.rest(head)
        self.assertTrue(head.whole)
        self.assertEqual(head.field("x-slipstream").split(";")[0], "follower")
        self.assert_engine_did(generations=1, tokens=usage(head))


if __name__ == "__main__":
    main()
