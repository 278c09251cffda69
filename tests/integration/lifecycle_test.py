"""Start, stop, refusals and silence: how the program behaves towards its operator."""

import json
import re
import socket
import threading

from support import chat, process, wire
from support.case import Case, main
from support.prometheus import Samples
from support.waiting import wait_until

END_SECONDS = 4  # no client that keeps its connection open may hold up the end


class Shutdown(Case):
    """One stream is running, held by the test, when the signal arrives."""

    def setUp(self):
        super().setUp()
        self.released = threading.Event()
        self.upstream = self.start_upstream(lambda call: chat.reply(call, self.released))
        self.gateway = self.start_gateway(self.upstream.port)
        self.caller = self.connect(self.gateway.port)
        self.caller.request("POST", chat.PATH, chat.request())
        self.answer = self.caller.head()
        self.caller.read_until(self.answer, b"w0-of-call-1")

    def readiness(self):
        return wire.ask(self.gateway.admin_port, "GET", "/readyz").status

    def test_sigterm_lets_the_stream_finish_and_takes_no_new_work(self):
        self.assertEqual(self.readiness(), 200)
        self.gateway.terminate()
        wait_until(lambda: self.readiness() == 503, "/readyz to say 503")
        self.assertEqual(wire.ask(self.gateway.admin_port, "GET", "/healthz").status, 200)
        self.assert_no_new_work()
        self.released.set()
        self.caller.rest(self.answer)
        self.assertTrue(self.answer.whole)
        self.assertEqual(self.answer.text(), "".join(chat.words(self.upstream.calls[0])))
        self.assertEqual(self.answer.events()[-1], "[DONE]")
        self.assertEqual(self.gateway.wait(END_SECONDS), 0)
        self.assertEqual(len(self.upstream.calls), 1)

    def assert_no_new_work(self):
        try:
            answer = wire.ask(self.gateway.port, "POST", chat.PATH, chat.request("new"))
        except (ConnectionError, wire.Cut):
            return
        self.assert_openai_error(answer, 503)

    def test_second_sigterm_stops_at_once(self):
        self.gateway.terminate()
        wait_until(lambda: self.readiness() == 503, "/readyz to say 503")
        self.gateway.terminate()
        self.gateway.wait(END_SECONDS)
        self.caller.rest(self.answer)
        self.assertNotIn(b"[DONE]", self.answer.body)
        self.assertFalse(self.answer.whole, "a stream that was stopped ended like a finished one")
        wait_until(self.upstream.calls[0].aborted.is_set, "the upstream call to be cancelled")

    def test_the_drain_has_a_time_limit(self):
        gateway = self.start_gateway(self.upstream.port, {"drain.timeout": "200ms"})
        caller = self.connect(gateway.port)
        caller.request("POST", chat.PATH, chat.request())
        answer = caller.head()
        caller.read_until(answer, b"w0-of-call-2")
        gateway.terminate()
        gateway.wait(END_SECONDS)
        self.assertNotIn(b"[DONE]", caller.rest(answer).body)


class Start(Case):
    def serve(self, *arguments, listen="127.0.0.1:0", admin="127.0.0.1:0"):
        return process.run(["serve", "--listen", listen, "--admin", admin,
                            "--upstream", "http://127.0.0.1:9", *arguments])

    def assert_refused(self, finished, *words):
        """Not started, and stderr is one line that holds every one of `words`."""
        self.assertNotIn(finished.returncode, (0, None))
        self.assertGreater(finished.returncode, 0, "ended by a signal")
        lines = [line for line in finished.lines("stderr") if line]
        self.assertEqual(len(lines), 1, lines)
        for word in words:
            self.assertIn(word, lines[0])

    def test_port_in_use_by_another_program(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            self.assert_refused(self.serve(listen=address), address)

    def test_port_in_use_by_another_gateway(self):
        """The workers share their port (SO_REUSEPORT); two gateways must not share it unnoticed."""
        first = self.start_gateway(9)
        address = f"127.0.0.1:{first.port}"
        self.assert_refused(self.serve(listen=address), address)

    def test_admin_port_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            self.assert_refused(self.serve(admin=address), address)

    def test_unknown_option_names_the_nearest(self):
        self.assert_refused(self.serve("--set", "replay.flight_byte_max=1MiB"),
                            "replay.flight_byte_max", "replay.flight_bytes_max")

    def test_value_out_of_bounds_names_the_option(self):
        self.assert_refused(self.serve("--set", "limits.body_bytes=banana"), "limits.body_bytes")

    def test_unknown_subcommand_and_flag(self):
        for arguments in (["swerve"], ["serve", "--lissten", "127.0.0.1:0"]):
            with self.subTest(arguments=arguments):
                finished = process.run(arguments)
                self.assertGreater(finished.returncode, 0)
                self.assertTrue(finished.lines("stderr"))

    def test_help_of_every_subcommand_shows_an_example(self):
        top = process.run(["--help"])
        self.assertEqual(top.returncode, 0)
        names = {name for name in re.findall(r"^ {2,}([a-z][a-z-]+) {2,}", top.output(), re.M)}
        self.assertLessEqual({"serve", "stub", "burst"}, names)
        for name in names - {"help", "version"}:
            with self.subTest(subcommand=name):
                finished = process.run([name, "--help"])
                self.assertEqual(finished.returncode, 0)
                self.assertRegex(finished.output(), rf"(?m)^ *(\$ )?slipstream {name} +-?\S")


class Refusals(Case):
    """Requests that go wrong, each on a connection of its own."""

    def setUp(self):
        super().setUp()
        self.upstream = self.start_upstream(self.echo_route)

    @staticmethod
    def echo_route(call):
        if call.path == chat.PATH and call.method == "POST":
            chat.reply(call)
        else:
            call.answer({"seen": f"{call.method} {call.path}"}, 404, [("x-model-server", "yes")])

    def test_unreachable_upstream_is_a_502(self):
        with socket.socket() as closed:  # bound, not listening: connecting to it is refused
            closed.bind(("127.0.0.1", 0))
            gateway = self.start_gateway(closed.getsockname()[1])
            for stream in (True, None):
                with self.subTest(stream=stream):
                    answer = wire.ask(gateway.port, "POST", chat.PATH, chat.request(stream=stream))
                    self.assert_openai_error(answer, 502)
                    self.assertTrue(answer.field("x-request-id"))

    def test_malformed_json_is_a_400(self):
        bodies = {
            "truncated": b'{"model":"m"',
            "empty": b"",
            "not JSON": b"hello",
            "trailing bytes": b'{"model":"m"} x',
            "duplicate member": b'{"model":"m","model":"n"}',
            "duplicate after unescaping": b'{"model":"m","mod\\u0065l":"n"}',
            "invalid UTF-8": b'{"model":"\xff\xfe"}',
            "lone surrogate": b'{"model":"\\ud800"}',
            "not a number": b'{"model":"m","temperature":NaN}',
            "too deep": b'{"model":"m","x":' + b"[" * 100 + b"]" * 100 + b"}",
        }
        gateway = self.start_gateway(self.upstream.port)
        for name, body in bodies.items():
            with self.subTest(body=name):
                answer = wire.ask(gateway.port, "POST", chat.PATH, body,
                                  [("content-type", "application/json")])
                error = self.assert_openai_error(answer, 400)
                self.assertEqual(error["type"], "invalid_request_error")
        self.assertEqual(self.upstream.calls, [])

    def test_h20_oversized_body_gets_a_complete_413(self):
        limit = 64 * 1024
        gateway = self.start_gateway(self.upstream.port, {"limits.body_bytes": limit})
        framings = {"declared": f"content-length: {limit + 1}",
                    "chunked": "transfer-encoding: chunked"}
        for name, framing in framings.items():
            with self.subTest(framing=name):
                caller = self.connect(gateway.port)
                caller.send(f"POST {chat.PATH} HTTP/1.1\r\nhost: x\r\n"
                            f"content-type: application/json\r\n{framing}\r\n\r\n".encode())
                self.send_slowly(caller, limit + 1, name == "chunked")
                answer = caller.answer()
                self.assert_openai_error(answer, 413)
                self.assertEqual((answer.field("connection") or "").lower(), "close")
        self.assertEqual(self.upstream.calls, [])

    def send_slowly(self, caller, size, chunked):
        """Sends the whole body before it reads anything; a reset of the connection is a failure."""
        piece = b"x" * 4096
        while size > 0:
            data, size = piece[:size], size - len(piece)
            caller.send(b"%x\r\n%s\r\n" % (len(data), data) if chunked else data)
        if chunked:
            caller.send(b"0\r\n\r\n")

    def test_other_paths_and_methods_are_the_model_servers_to_answer(self):
        gateway = self.start_gateway(self.upstream.port)
        for method, path, body in (("GET", "/v1/nothing?x=1", None), ("GET", chat.PATH, None),
                                   ("DELETE", "/v1/models/m", None),
                                   ("POST", "/v2/other", {"a": 1}), ("GET", "/metrics", None)):
            with self.subTest(method=method, path=path):
                answer = wire.ask(gateway.port, method, path, body)
                self.assertEqual(answer.status, 404)
                self.assertEqual(answer.json(), {"seen": f"{method} {path}"})
                self.assertEqual(answer.field("x-model-server"), "yes")
        self.assertEqual(len(self.upstream.calls), 5)


class Silence(Case):
    """Neither a credential nor a prompt ever appears where an operator or a scraper can read it."""

    KEY = "sk-canary-key-5b1f"
    PROMPT = "canary-prompt-9c44"
    TEXT = "canary-answer-71aa"

    def test_no_canary_in_logs_metrics_or_flights(self):
        released = threading.Event()

        def answer(call):
            content = call.json()["messages"][0]["content"]
            if "reset" in content:
                call.reset()
            elif "reject" in content:
                call.answer({"error": {"message": f"no {content}", "type": "t", "param": None,
                                       "code": None}}, 400)
            else:
                call.head(content_type="text/event-stream")
                call.event(chat.chunk(self.TEXT))
                call.hold(released)
                call.event(chat.chunk(finish="stop"))
                call.event("[DONE]")
                call.finish()
        upstream = self.start_upstream(answer)
        gateway = self.start_gateway(upstream.port, {"log.level": "debug",
                                                     "retry.enabled": "false"})
        fields = [("authorization", f"Bearer {self.KEY}"), ("cookie", f"c={self.KEY}"),
                  ("api-key", self.KEY)]
        caller = self.connect(gateway.port)
        caller.request("POST", f"{chat.PATH}?key={self.KEY}", chat.request(self.PROMPT), fields)
        running = caller.head()
        caller.read_until(running, self.TEXT.encode())
        during = wire.ask(gateway.admin_port, "GET", "/flights")
        self.assertEqual(during.status, 200)
        self.assertTrue(during.json()["flights"], "the running flight is not shown")
        for content in (f"{self.PROMPT} reset", f"{self.PROMPT} reject"):
            wire.ask(gateway.port, "POST", chat.PATH, chat.request(content), fields)
        broken = json.dumps(chat.request(self.PROMPT)).encode()[:-1]
        wire.ask(gateway.port, "POST", chat.PATH, broken, fields)
        wire.ask(gateway.port, "GET", f"/v1/none?key={self.KEY}", None, fields)
        released.set()
        caller.rest(running)
        shown = {"/flights during": during.body, "/flights": self.page(gateway, "/flights"),
                 "/metrics": self.page(gateway, "/metrics")}
        gateway.terminate()
        gateway.wait(END_SECONDS)
        shown["log"] = gateway.output().encode()
        self.assertTrue(Samples(shown["/metrics"].decode()).names())
        for place, text in shown.items():
            for canary in (self.KEY, self.PROMPT, self.TEXT):
                self.assertNotIn(canary.encode(), text, f"{place} shows a secret")
        self.assertIn(self.KEY, upstream.calls[0].fields["authorization"])

    @staticmethod
    def page(gateway, path):
        return wire.ask(gateway.admin_port, "GET", path).body


if __name__ == "__main__":
    main()
