"""What coalescing saves: callers repeat one question while its answer takes 800 ms.

LOAD_SECONDS sets how long they go on (3 by default). Each caller asks again as soon as it has its
answer, so without coalescing the model server gets one call per answer. With it, every caller who
asks while a generation runs joins it, and the server gets one call per round, however many callers
there are: about LOAD_SECONDS / 0.8 calls. The fall is therefore the number of callers that ask at
once, no more and no less: 50 callers make it 50-fold, 250 make it 250-fold. It says nothing about
the gateway's speed.
"""

import json
import math
import os

from support import process, wire
from support.case import Case, main

ANSWER_SECONDS = 0.8
SECONDS = float(os.environ.get("LOAD_SECONDS", "3"))
# Callers and the least fall: their number, less a fifth for a round that the end of the time cuts or
# a straggler who comes just after an answer ended and opens a round of its own.
FALL_AT_LEAST = {50: 40, 250: 200}


class Load(Case):
    def setUp(self):
        super().setUp()
        self.stub = self.start_stub(first_token="400ms", tokens=40, interval="10ms")

    def burst(self, port, callers):
        """Lets the callers loose on `port`; returns how many checked answers they got."""
        finished = process.run(
            ["burst", "--target", f"http://127.0.0.1:{port}", "--callers", callers,
             "--free", "--quiet", "--duration", f"{SECONDS:g}s", "--json"], seconds=SECONDS + 30)
        self.assertEqual(finished.returncode, 0, finished.output())
        report = json.loads("\n".join(finished.lines("stdout")))
        self.assertTrue(report["all_sound"], report)
        return sum(group["sound"] for group in report["groups"])

    def stub_calls(self):
        return wire.ask(self.stub.port, "GET", "/stub/stats").json()["calls"]

    def check_fall(self, callers):
        self.burst(self.stub.port, callers)
        without = self.stub_calls()
        gateway = self.start_gateway(self.stub.port)
        answers = self.burst(gateway.port, callers)
        calls = self.stub_calls() - without
        fall = answers / calls
        rounds = math.ceil(SECONDS / ANSWER_SECONDS)
        print(f"\n{callers} callers, {SECONDS:g} s, answers of {ANSWER_SECONDS * 1000:g} ms: "
              f"{without} upstream calls without coalescing; with it {calls} calls for "
              f"{answers} answers, a fall of {fall:.1f} times")
        self.assertGreaterEqual(without, callers * (rounds - 1))
        self.assertGreaterEqual(answers, callers * (rounds - 1))
        self.assertLessEqual(calls, rounds + 1)
        self.assertGreaterEqual(fall, FALL_AT_LEAST[callers])

    def test_upstream_calls_fall_by_the_number_of_50_callers(self):
        self.check_fall(50)

    def test_upstream_calls_fall_by_the_number_of_250_callers(self):
        self.check_fall(250)


if __name__ == "__main__":
    main()
