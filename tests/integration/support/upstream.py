"""A scripted model server: a function decides every byte of every answer and sees every abort.

A script is called on a thread of its own with one Call per request. It pauses on events of the test
(`Call.hold`), never on the clock, and learns from `hold` whether the gateway is still there.
"""

import json
import select
import socket
import struct
import threading
import time

from .waiting import DEADLINE_SECONDS, wait_until


class Gone(Exception):
    """The gateway has closed the connection of this call."""


class Call:
    """One request as the upstream saw it, and the means to answer it."""

    def __init__(self, number, connection, method, path, fields, body):
        self.number = number  # from 1, in order of arrival
        self.method = method
        self.path = path
        self.fields = fields  # lower-case name to value
        self.body = body
        self.arrived_at = time.monotonic()
        self.aborted = threading.Event()
        self.finished = threading.Event()
        self.bytes_sent = 0
        self._connection = connection
        self._chunked = False

    def json(self):
        return json.loads(self.body)

    def send(self, data):
        """Sends bytes as they are; raises Gone if the gateway has left."""
        try:
            self._connection.sendall(data)
            self.bytes_sent += len(data)
        except OSError as error:
            raise Gone(str(error)) from error

    def head(self, status=200, fields=(), length=None, content_type="application/json"):
        """Sends the head; without `length` the body that follows is chunked."""
        self._chunked = length is None
        framing = "transfer-encoding: chunked" if self._chunked else f"content-length: {length}"
        lines = [f"HTTP/1.1 {status} Scripted", f"content-type: {content_type}", framing]
        lines += [f"{name}: {value}" for name, value in fields]
        self.send("\r\n".join(lines).encode() + b"\r\n\r\n")

    def chunk(self, data):
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def event(self, data):
        """One server-sent event; a dict is sent as JSON."""
        text = data if isinstance(data, str) else json.dumps(data, separators=(",", ":"))
        self.chunk(f"data: {text}\n\n".encode())

    def finish(self):
        if self._chunked:
            self.send(b"0\r\n\r\n")

    def answer(self, body, status=200, fields=()):
        """A whole JSON answer at once."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.head(status, fields, length=len(data))
        self.send(data)

    def reset(self):
        """Ends the connection with RST, as a crashed server does."""
        self._connection.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Gone("reset by the script")

    def hold(self, released, seconds=DEADLINE_SECONDS):
        """Waits for the test to set `released`; raises Gone as soon as the gateway leaves."""
        ends_at = time.monotonic() + seconds
        while not released.is_set():
            readable, _, _ = select.select([self._connection], [], [], 0.01)
            if readable and not self._peek():
                raise Gone("closed by the gateway")
            if time.monotonic() > ends_at:
                raise Gone("the test never released this call")

    def _peek(self):
        try:
            return self._connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return b""


class ScriptedUpstream:
    """Listens on a port of its own; `close` in every case."""

    def __init__(self, script):
        self._script = script
        self._lock = threading.Lock()
        self._calls = []
        self._connections = set()
        self._failures = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def calls(self):
        with self._lock:
            return list(self._calls)

    def wait_for_calls(self, count):
        return wait_until(lambda: len(self.calls) >= count and self.calls,
                          f"{count} upstream calls")

    def close(self):
        """Stops listening, drops every connection, and raises what a script raised."""
        self._listener.close()
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        if self._failures:
            raise self._failures[0]

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with self._lock:
            self._connections.add(connection)
        try:
            reader = connection.makefile("rb")
            while self._serve_one(connection, reader):
                pass
        except (Gone, OSError, ValueError):
            pass
        except BaseException as failure:  # a bug of the script belongs to the test
            self._failures.append(failure)
        finally:
            with self._lock:
                self._connections.discard(connection)
            reader.close()
            connection.close()

    def _serve_one(self, connection, reader):
        line = reader.readline()
        if not line:
            return False
        method, path, _ = line.decode().split()
        fields = {}
        while (line := reader.readline()) not in (b"\r\n", b""):
            name, value = line.decode("latin-1").split(":", 1)
            fields[name.strip().lower()] = value.strip()
        body = self._body(reader, fields)
        with self._lock:
            call = Call(len(self._calls) + 1, connection, method, path, fields, body)
            self._calls.append(call)
        try:
            self._script(call)
        except Gone:
            call.aborted.set()
            raise
        call.finished.set()
        return True

    @staticmethod
    def _body(reader, fields):
        if fields.get("transfer-encoding", "").lower() != "chunked":
            return reader.read(int(fields.get("content-length", 0)))
        body = b""
        while size := int(reader.readline().split(b";")[0], 16):
            body += reader.read(size)
            reader.readline()
        reader.readline()
        return body
