"""Starts and stops what is measured: the gateway, its peers, the stub. One class, one table.

Everything runs as an ordinary process on loopback ports picked at run time; configurations come
from conf/ with ports filled in and live in a temporary directory.
"""

import http.client
import os
import pathlib
import resource
import shutil
import signal
import socket
import string
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
START_SECONDS = 20


class Failure(Exception):
    """Something could not be started or measured; the text says what."""


def raise_fd_limit():
    """Raises the soft descriptor limit to the hard one and returns it."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def tree(pid):
    """The process and all its descendants, as numbers."""
    found = [pid]
    for parent in found:
        for path in pathlib.Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found += [int(child) for child in path.read_text().split()]
            except OSError:
                pass
    return found


def pss_bytes(pids):
    total = 0
    for pid in pids:
        for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total


def fill(name, directory, values):
    """Writes conf/<name> with `values` filled in and returns its path."""
    text = string.Template((HERE / "conf" / name).read_text()).substitute(values)
    path = pathlib.Path(directory) / name
    path.write_text(text)
    return str(path)


def gateway_command(v):
    return [v["gateway"], "serve", "--listen", f"127.0.0.1:{v['port']}",
            "--upstream", f"http://127.0.0.1:{v['upstream_port']}", "--admin", "off",
            "--workers", str(v["workers"]), "--log-level", "warning",
            "--set", "upstream.probe_interval=0s", *v["gateway_args"]]


def nginx_command(conf):
    return lambda v: ["nginx", "-p", v["dir"], "-e", v["dir"] + "/error.log",
                      "-c", fill(conf, v["dir"], v)]


def haproxy_command(v):
    return ["haproxy", "-db", "-f", fill("haproxy.cfg", v["dir"], v)]


def varnish_command(vcl):
    # -j none: no change of user; the rest lets it use as many threads as there are callers.
    return lambda v: ["varnishd", "-F", "-j", "none", "-n", v["dir"] + "/varnish",
                      "-a", f"127.0.0.1:{v['port']}", "-f", fill(vcl, v["dir"], v),
                      "-s", "malloc,256m", "-p", "thread_pools=1", "-p", "thread_pool_max=5000",
                      "-p", "thread_pool_add_delay=0", "-p", "timeout_idle=600"]


# name -> (program that must be there, command). `share` variants collapse identical requests.
COMMANDS = {
    "gateway": (None, gateway_command),
    "nginx": ("nginx", nginx_command("nginx_pass.conf")),
    "nginx-share": ("nginx", nginx_command("nginx_cache.conf")),
    "haproxy": ("haproxy", haproxy_command),
    "varnish": ("varnishd", varnish_command("varnish_pass.vcl")),
    "varnish-share": ("varnishd", varnish_command("varnish_share.vcl")),
}
VERSION_FLAGS = {"nginx": "-v", "haproxy": "-v", "varnishd": "-V"}


def missing(name, gateway):
    """Why `name` cannot be started, or nothing."""
    program = COMMANDS[name][0] if name != "direct" else None
    if name == "gateway" and not os.access(gateway, os.X_OK):
        return f"{gateway} is not built"
    if program and not shutil.which(program):
        return f"{program} is not installed"
    return None


def versions():
    found = {}
    for program, flag in VERSION_FLAGS.items():
        if shutil.which(program):
            out = subprocess.run([program, flag], capture_output=True, text=True, check=False)
            found[program] = (out.stdout + out.stderr).splitlines()[0].strip()
    return found


class Server:
    """A running process (tree) that listens on `port`. Use stop(); it never outlives the run."""

    def __init__(self, name, command, port, directory, cpu):
        self.name = name
        self.port = port
        self.log = pathlib.Path(directory) / "output.log"
        pinned = ["taskset", "-c", str(cpu)] if cpu is not None else []
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(pinned + command, stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL, start_new_session=False)

    def pids(self):
        return tree(self.process.pid)

    def wait_until_serving(self):
        """Returns after one answer with status 200 came through."""
        deadline = time.monotonic() + START_SECONDS
        why = "no answer"
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                why = ask(self.port)
                if why is None:
                    return
            except OSError as error:
                why = str(error)
            time.sleep(0.1)
        tail = self.log.read_text(errors="replace")[-2000:]
        self.stop()
        raise Failure(f"{self.name} does not serve ({why}). Its output: {tail or 'none'}")

    def stop(self):
        children = self.pids() if self.process.poll() is None else []
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            for pid in reversed(children):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.process.wait()


def ask(port):
    """Sends one chat request; returns what went wrong, or nothing."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        body = '{"model":"stub-0-0-0","messages":[{"role":"user","content":"hello"}]}'
        connection.request("POST", "/v1/chat/completions", body,
                           {"Content-Type": "application/json"})
        status = connection.getresponse().status
        return None if status == 200 else f"status {status}"
    except http.client.HTTPException as error:
        return repr(error)
    finally:
        connection.close()
