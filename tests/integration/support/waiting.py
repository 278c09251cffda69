"""The only place where the tests wait: for a condition, always with a deadline."""

import os
import threading
import time

# Long enough for two busy cores with sanitizers; a healthy run never comes near it.
DEADLINE_SECONDS = float(os.environ.get("SLIPSTREAM_TEST_DEADLINE", "20"))
_POLL_SECONDS = 0.01


class DeadlineMissed(AssertionError):
    """A condition did not come true in time."""


def wait_until(condition, what, seconds=DEADLINE_SECONDS):
    """Polls `condition` until it returns something true, and returns that; fails naming `what`."""
    ends_at = time.monotonic() + seconds
    pause = threading.Event()
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > ends_at:
            raise DeadlineMissed(f"waited {seconds:g} s for {what}")
        pause.wait(_POLL_SECONDS)
