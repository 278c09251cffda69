"""Packages that a test needs beyond the standard library: a virtual environment in build/venv for
Python, tests/clients/node_modules for JavaScript. Installed once; later runs need no network."""

import fcntl
import hashlib
import pathlib
import subprocess
import sys

from .process import REPOSITORY

CLIENTS = REPOSITORY / "tests/clients"
_BUILD = REPOSITORY / "build"
_INSTALL_SECONDS = 600


class NotInstallable(Exception):
    """The package client failed; its output is the message."""


def _install(command, folder):
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=_INSTALL_SECONDS, check=False)
    except (FileNotFoundError, subprocess.TimeoutExpired) as failure:
        raise NotInstallable(str(failure)) from failure
    if done.returncode:
        raise NotInstallable(f"{' '.join(map(str, command))}:\n{done.stdout}")


def _once(stamp, wanted, install):
    """Runs `install` unless `stamp` says that `wanted` is there already; one process at a time."""
    _BUILD.mkdir(exist_ok=True)
    digest = hashlib.sha256(wanted.read_bytes()).hexdigest()
    with open(_BUILD / "packages.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.exists() and stamp.read_text() == digest:
            return
        install()
        stamp.write_text(digest)


def python_with(requirements):
    """The interpreter of build/venv with the pins of the file `requirements` installed."""
    requirements = pathlib.Path(requirements)
    venv = _BUILD / "venv"

    def install():
        if not (venv / "bin/pip").exists():
            _install([sys.executable, "-m", "venv", venv], REPOSITORY)
        _install([venv / "bin/pip", "install", "--quiet", "--only-binary", ":all:",
                  "--requirement", requirements], REPOSITORY)

    _once(venv / f"{requirements.stem}.installed", requirements, install)
    return str(venv / "bin/python")


def node_clients():
    """The folder whose node_modules hold the clients of tests/clients/package-lock.json."""
    _once(CLIENTS / "node_modules/.slipstream-installed", CLIENTS / "package-lock.json",
          lambda: _install(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], CLIENTS))
    return CLIENTS
