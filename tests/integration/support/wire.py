"""An HTTP/1.1 client on a bare socket: shows every byte, and how an answer ended."""

import json
import socket

from .waiting import DEADLINE_SECONDS


class Cut(Exception):
    """The peer ended the connection before the answer was complete."""


class Answer:
    """Head and body of one answer. `whole` says whether the body ended as its framing promised."""

    def __init__(self, status, fields):
        self.status = status
        self.fields = fields  # [(lower-case name, value)]
        self.body = b""
        self.whole = False

    def field(self, name):
        """The value of the header `name`, None if absent; several are joined by a comma."""
        values = [value for key, value in self.fields if key == name.lower()]
        return ", ".join(values) if values else None

    def json(self):
        return json.loads(self.body)

    def events(self):
        return parse_events(self.body)

    def text(self):
        """The text of a chat answer, streamed or not."""
        if (self.field("content-type") or "").startswith("text/event-stream"):
            return "".join(delta_text(event) for event in self.events())
        return self.json()["choices"][0]["message"]["content"]


def parse_events(body):
    """The data of every whole event in `body`; comments are left out."""
    events = []
    for block in body.replace(b"\r\n", b"\n").split(b"\n\n")[:-1]:
        data = [line[5:].lstrip(b" ") for line in block.split(b"\n") if line.startswith(b"data:")]
        if data:
            events.append(b"\n".join(data).decode())
    return events


def delta_text(event):
    """The text that one chat event adds, empty for [DONE], errors and usage."""
    if event == "[DONE]":
        return ""
    choices = json.loads(event).get("choices") or [{}]
    return choices[0].get("delta", {}).get("content") or ""


class Connection:
    """One connection to `port` on loopback; every wait has a deadline."""

    def __init__(self, port, seconds=DEADLINE_SECONDS):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._unread = b""
        self._body = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def request(self, method, path, body=None, fields=()):
        """Sends one request; a dict or list as `body` is sent as JSON."""
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            fields = [("content-type", "application/json"), *fields]
        head = f"{method} {path} HTTP/1.1\r\nhost: gateway.test\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in fields)
        if body is not None:
            head += f"content-length: {len(body)}\r\n"
        self.send(head.encode() + b"\r\n" + (body or b""))

    def _more(self):
        try:
            data = self.socket.recv(65536)
        except ConnectionError as error:
            raise Cut(str(error)) from error
        if not data:
            raise Cut("end of connection")
        self._unread += data

    def _line(self):
        while b"\r\n" not in self._unread:
            self._more()
        line, self._unread = self._unread.split(b"\r\n", 1)
        return line

    def _take(self, size):
        while len(self._unread) < size:
            self._more()
        data, self._unread = self._unread[:size], self._unread[size:]
        return data

    def head(self, method="POST"):
        """Reads the head of the next answer; its body is then read by `more_body` or `rest`."""
        while True:
            status = int(self._line().split()[1])
            fields = []
            while line := self._line():
                name, value = line.decode("latin-1").split(":", 1)
                fields.append((name.strip().lower(), value.strip()))
            if status >= 200:
                break
        answer = Answer(status, fields)
        self._body = self._pieces(answer, method)
        return answer

    def _pieces(self, answer, method):
        if method == "HEAD" or answer.status in (204, 304):
            return
        if answer.field("transfer-encoding") == "chunked":
            while size := int(self._line().split(b";")[0], 16):
                yield self._take(size)
                if self._take(2) != b"\r\n":
                    raise AssertionError("a chunk does not end with CRLF")
            while self._line():
                pass
        elif answer.field("content-length") is not None:
            left = int(answer.field("content-length"))
            while left:
                if not self._unread:
                    self._more()
                piece = self._take(min(left, len(self._unread)))
                left -= len(piece)
                yield piece
        else:
            yield from self._until_end()

    def _until_end(self):
        while True:
            piece, self._unread = self._unread, b""
            if piece:
                yield piece
            try:
                self._more()
            except Cut:
                return

    def more_body(self, answer):
        """Adds the next piece to `answer.body`; false when the body is over, `whole` says how."""
        try:
            piece = next(self._body, None)
        except Cut:
            return False
        if piece is None:
            answer.whole = True
            return False
        answer.body += piece
        return True

    def read_until(self, answer, text):
        """Reads until the body holds `text`."""
        while text not in answer.body:
            if not self.more_body(answer):
                raise AssertionError(f"the body ended without {text!r}: {answer.body!r}")

    def rest(self, answer):
        """Reads the body to its end and returns `answer`."""
        while self.more_body(answer):
            pass
        return answer

    def answer(self, method="POST"):
        return self.rest(self.head(method))


def ask(port, method, path, body=None, fields=()):
    """One request on a connection of its own, answered to the end."""
    with Connection(port) as connection:
        connection.request(method, path, body, fields)
        return connection.answer(method)
