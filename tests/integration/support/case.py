"""The base class of the tests: everything that is started is ended, and heard when a test fails."""

import sys
import unittest

from . import process, wire
from .upstream import ScriptedUpstream

SKIPPED = 77  # the exit code that CTest reads as "skipped"


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self._processes = []

    def run(self, result=None):
        before = 0 if result is None else len(result.failures) + len(result.errors)
        super().run(result)
        if result is not None and len(result.failures) + len(result.errors) > before:
            for child in getattr(self, "_processes", []):
                print(f"--- {' '.join(child.arguments)} (ended with {child.returncode})\n"
                      f"{child.output()}", file=sys.stderr)

    def _own(self, child):
        self._processes.append(child)
        self.addCleanup(child.kill)
        return child

    def start_upstream(self, script):
        upstream = ScriptedUpstream(script)
        self.addCleanup(upstream.close)
        return upstream

    def start_gateway(self, upstream_port, settings=None):
        return self._own(process.Gateway(upstream_port, settings))

    def start_stub(self, **options):
        return self._own(process.Stub(**options))

    def start_process(self, arguments, environment=None):
        return self._own(process.Process(arguments, environment))

    def connect(self, port):
        connection = wire.Connection(port)
        self.addCleanup(connection.close)
        return connection

    def subscribers(self, gateway):
        """How many callers read a flight at this moment."""
        flights = wire.ask(gateway.admin_port, "GET", "/flights").json()["flights"]
        return sum(flight["subscribers"] for flight in flights)

    def assert_openai_error(self, answer, status):
        """The answer is complete and its body is the error object that OpenAI's clients read."""
        self.assertEqual(answer.status, status, answer.body)
        self.assertTrue(answer.whole, "the answer was cut")
        self.assertTrue((answer.field("content-type") or "").startswith("application/json"))
        error = answer.json()["error"]
        self.assertLessEqual({"message", "type", "param", "code"}, error.keys())
        self.assertTrue(error["message"])
        return error


def main():
    """Runs the tests of the calling program and ends it with 0, 1, or 77 if all were skipped."""
    result = unittest.main(exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIPPED if result.skipped and not result.testsRun else 0)
