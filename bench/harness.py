"""The bench: starts servers beside each other, runs the load generator, alternates rounds."""

import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import servers
from servers import Failure

PROXY_CPU, LOAD_CPU = 0, 1


@dataclasses.dataclass
class Options:
    gateway: str
    gateway_args: list
    programs: pathlib.Path  # where load_stub and load_gen are
    build: pathlib.Path
    subject: str
    rounds: int
    scale: float            # of durations: 1, or less with --quick
    pin: bool


class Bench:
    """Owns the notes and the descriptor limit; one measure at a time uses it."""

    def __init__(self, options):
        self.options = options
        self.fd_limit = servers.raise_fd_limit()
        self.notes = []
        self.serial = 0
        self.measure = 0
        self.cache = {}
        self.failed = set()  # measures in which the subject gave a wrong answer or none

    def say(self, text):
        print(f"[{self.measure:>2}] {text}", file=sys.stderr, flush=True)

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)
            self.say("note: " + text)

    # --- names -----------------------------------------------------------------------------------

    def subject(self, role="pass"):
        """The server in the gateway's place; `role` is "pass" or "share"."""
        name = self.options.subject
        return name + "-share" if role == "share" and name in ("nginx", "varnish") else name

    def is_subject(self, name):
        return name in (self.subject(), self.subject("share"))

    def present(self, names):
        """Those of `names` that can be started; says which cannot."""
        found = []
        for name in dict.fromkeys(names):
            why = servers.missing(name, self.options.gateway)
            if why:
                self.note(f"{name} is left out: {why}")
            else:
                found.append(name)
        if not any(self.is_subject(name) for name in found):
            raise Failure(f"{self.subject()} cannot be started")
        return found

    def held_count(self, wanted, descriptors_each):
        """How many connections may be held, at `descriptors_each` in the proxy, up to `wanted`."""
        possible = (self.fd_limit - 500) // descriptors_each
        if possible < wanted:
            self.note(f"{wanted} connections wanted, {possible} possible: the descriptor limit "
                      f"is {self.fd_limit}")
        return min(wanted, possible)

    # --- running ---------------------------------------------------------------------------------

    def pinned(self, workers):
        return self.options.pin and workers == 1

    @contextlib.contextmanager
    def running(self, names, workers):
        """The named servers and a stub behind them, all up: a dict by name, with "stub" in it.

        A peer that does not start is left out and noted.
        """
        with contextlib.ExitStack() as stack:
            stub = self._start_stub(stack, workers)
            up = {"stub": stub, "direct": stub}
            for name in names:
                if name in up:
                    continue
                try:
                    up[name] = self._start(stack, name, name, workers, stub.port)
                except Failure as failure:
                    if self.is_subject(name):
                        raise
                    self.note(f"{name} is left out: {failure}")
            yield up

    @contextlib.contextmanager
    def one_more(self, name, workers, stub):
        """Another instance of a server, behind the same stub."""
        with contextlib.ExitStack() as stack:
            yield self._start(stack, name, name + " (second)", workers, stub.port)

    def _start_stub(self, stack, workers):
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-stub-"))
        port = servers.free_port()
        command = [str(self.options.programs / "load_stub"), "--port", str(port)]
        cpu = LOAD_CPU if self.pinned(workers) else None
        stub = servers.Server("stub", command, port, directory, cpu)
        stack.callback(stub.stop)
        stub.wait_until_serving()
        return stub

    def _start(self, stack, name, title, workers, upstream_port):
        # Servers may drop privileges and must still reach their files.
        directory = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True))
        os.chmod(directory, 0o755)
        values = {"dir": directory, "port": servers.free_port(), "upstream_port": upstream_port,
                  "workers": workers,
                  "connections": self.fd_limit * 5 // 4,  # nginx keeps a sixteenth in reserve
                  "pairs": max((self.fd_limit - 300) // 2, 100),  # client and upstream side
                  "fd_limit": self.fd_limit, "gateway": self.options.gateway,
                  "gateway_args": self.options.gateway_args,
                  "user_line": "user root;" if os.geteuid() == 0 else ""}
        cpu = PROXY_CPU if self.pinned(workers) else None
        command = servers.COMMANDS[name][1](values)
        server = servers.Server(title, command, values["port"], directory, cpu)
        stack.callback(server.stop)
        server.wait_until_serving()
        return server

    def command(self, mode, server, workers, **options):
        """The command line of a load generator run against `server` (None: none)."""
        self.serial += 10**9
        line = ["taskset", "-c", str(LOAD_CPU)] if self.pinned(workers) and server else []
        line += [str(self.options.programs / "load_gen"), mode]
        if server:
            options = {"port": server.port, "serial": self.serial, **options}
            if server.name.startswith("varnish-share"):
                options["header"] = f"X-Bench-Key: {self.serial}"
            if mode != "hold" and server.name != "stub":
                options["pids"] = ",".join(str(pid) for pid in server.pids())
        for name, value in options.items():
            line += ["--" + name.replace("_", "-"), str(value)]
        return line

    def load(self, mode, server, workers, **options):
        """One run of the load generator: its JSON result. Failure if an answer was not right."""
        done = subprocess.run(self.command(mode, server, workers, **options), capture_output=True,
                              text=True, timeout=300, check=False)
        who = server.name if server else mode
        try:
            result = json.loads(done.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            raise Failure(f"{who}: {done.stderr.strip() or 'no result'}") from None
        if done.returncode != 0:
            raise Failure(f"{who}: wrong or missing answers: {done.stdout.strip()} {done.stderr}")
        return result

    @contextlib.contextmanager
    def holding(self, server, workers, **options):
        """Connections held in a state (load_gen hold) inside the `with`."""
        process = subprocess.Popen(self.command("hold", server, workers, **options),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        try:
            if "ready" not in process.stdout.readline():
                raise Failure(f"{server.name}: {process.stderr.read().strip()}")
            yield
            process.stdin.close()
            if process.wait(60) != 0:
                self.note(f"{server.name}: ended connections that were held: too little memory")
        finally:
            process.kill()
            process.wait()

    def alternate(self, up, names, sample, show, rounds=None):
        """Samples every name once per round, forward then backward. A list of dicts by name.

        A sample that fails is left out and noted, so that one peer cannot spoil the run; one of the
        subject fails the measure.
        """
        result = []
        for number in range(rounds or self.options.rounds):
            order = names if number % 2 == 0 else list(reversed(names))
            order = [name for name in order if name in up or name not in servers.COMMANDS]
            this = {}
            for name in order:
                try:
                    this[name] = sample(up.get(name))
                except Failure as failure:
                    self.note(str(failure))
                    if self.is_subject(name) or name not in {*servers.COMMANDS, "direct", "bare"}:
                        self.failed.add(self.measure)
            shown = ", ".join(f"{name} {this[name][show]:.2f}" for name in names if name in this)
            self.say(f"round {number + 1}: {show}: {shown}")
            result.append(this)
            time.sleep(0.05)
        return result
