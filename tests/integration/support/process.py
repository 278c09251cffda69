"""Child processes under test: started with a ready line, stopped for certain, heard on failure."""

import os
import pathlib
import re
import signal
import subprocess
import threading

from .waiting import DEADLINE_SECONDS, wait_until

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]


def binary():
    """The program under test: $SLIPSTREAM_BIN, else the release build."""
    path = pathlib.Path(os.environ.get("SLIPSTREAM_BIN", REPOSITORY / "build/release/slipstream"))
    if not path.is_absolute():
        path = pathlib.Path.cwd() / path
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: build it or set SLIPSTREAM_BIN")
    return str(path)


class Process:
    """One child process whose output is kept line by line. Use `start`, then always `kill`."""

    def __init__(self, arguments, environment=None):
        self.arguments = [str(argument) for argument in arguments]
        self._lines = {"stdout": [], "stderr": []}
        self._child = subprocess.Popen(
            self.arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
        self._readers = [
            threading.Thread(target=self._read, args=(name, pipe), daemon=True)
            for name, pipe in (("stdout", self._child.stdout), ("stderr", self._child.stderr))]
        for reader in self._readers:
            reader.start()

    def _read(self, name, pipe):
        with pipe:
            for line in pipe:
                self._lines[name].append(line.decode("utf-8", "replace").rstrip("\n"))

    @property
    def pid(self):
        return self._child.pid

    @property
    def returncode(self):
        return self._child.poll()

    def lines(self, name):
        """What was written to "stdout" or "stderr" so far."""
        return list(self._lines[name])

    def output(self):
        return "\n".join(self.lines("stdout") + self.lines("stderr"))

    def wait_for_line(self, pattern, seconds=DEADLINE_SECONDS):
        """The match of the first stdout line that fits `pattern`; fails if the child ends."""
        def look():
            for line in self.lines("stdout"):
                match = re.search(pattern, line)
                if match:
                    return match
            if self.returncode is not None and not any(r.is_alive() for r in self._readers):
                raise AssertionError(
                    f"ended with {self.returncode} before '{pattern}':\n{self.output()}")
            return None
        return wait_until(look, f"'{pattern}' from {self.arguments}", seconds)

    def wait(self, seconds=DEADLINE_SECONDS):
        """Waits for the end and for the last line of output; returns the exit code."""
        code = self._child.wait(timeout=seconds)
        for reader in self._readers:
            reader.join(timeout=seconds)
        return code

    def terminate(self):
        self._child.send_signal(signal.SIGTERM)

    def kill(self):
        if self.returncode is None:
            self._child.kill()
        return self.wait()


def run(arguments, seconds=DEADLINE_SECONDS):
    """Runs `slipstream ARGUMENTS` to its end and returns the finished Process."""
    process = Process([binary(), *arguments])
    try:
        process.wait(seconds)
    finally:
        process.kill()
    return process


class Gateway(Process):
    """`slipstream serve` in front of `upstream_port`, ready to take requests."""

    def __init__(self, upstream_port, settings=None):
        arguments = [binary(), "serve", "--listen", "127.0.0.1:0", "--upstream",
                     f"http://127.0.0.1:{upstream_port}", "--admin", "127.0.0.1:0",
                     "--workers", "2",
                     # Every upstream call that a test does not expect would be one too many.
                     "--set", "upstream.probe_interval=0s"]
        for name, value in (settings or {}).items():
            arguments += ["--set", f"{name}={value}"]
        super().__init__(arguments)
        try:
            self.port = int(self.wait_for_line(r"^listening on 127\.0\.0\.1:(\d+)").group(1))
            self.admin_port = int(self.wait_for_line(r"^admin on 127\.0\.0\.1:(\d+)").group(1))
        except BaseException:
            self.kill()
            raise

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"


class Stub(Process):
    """`slipstream stub`: the deterministic model server that comes with the program."""

    def __init__(self, first_token="50ms", tokens=20, interval="10ms", identity=""):
        super().__init__([binary(), "stub", "--listen", "127.0.0.1:0", "--first-token", first_token,
                          "--tokens", tokens, "--interval", interval, "--identity", identity])
        try:
            self.port = int(self.wait_for_line(r"^stub listening on 127\.0\.0\.1:(\d+)").group(1))
        except BaseException:
            self.kill()
            raise
