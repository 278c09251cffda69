"""The real OpenAI clients for JavaScript and Python through the gateway."""

import json
import threading

from support import chat, packages
from support.case import Case, main
from support.waiting import wait_until

API_KEY = "sk-clients-test"
# The gateway makes no retries of its own, and its budget never makes it discourage the clients'.
CLIENTS_RETRY = {"retry.enabled": "false", "retry.budget_ratio": 100}


class Client:
    """A job running in one of the two clients."""

    def __init__(self, process):
        self._process = process

    def reports(self, event):
        lines = map(json.loads, self._process.lines("stdout"))
        return sorted((line for line in lines if line["event"] == event),
                      key=lambda line: line["index"])

    def wait_for(self, event, count):
        """The reports of `event`, at least `count` of them, in the order of the requests."""
        return wait_until(lambda: len(found := self.reports(event)) >= count and found,
                          f"{count} reports of '{event}', have:\n{self._process.output()}")

    def ends(self):
        """Waits for the job to be over; one report for each request."""
        code = self._process.wait()
        if code != 0:
            raise AssertionError(f"the client ended with {code}:\n{self._process.output()}")
        return self.reports("end")


class ClientCase(Case):
    """Starts clients of either language against one gateway."""

    @classmethod
    def setUpClass(cls):
        clients = packages.node_clients()
        python = packages.python_with(clients / "requirements.txt")
        cls.commands = {"JavaScript": ["node", clients / "openai_client.mjs"],
                        "Python": [python, clients / "openai_client.py"]}

    def start_client(self, language, gateway, requests, max_retries=0):
        requests = [request if "surface" in request else {"surface": "chat", "body": request}
                    for request in requests]
        job = {"base_url": f"{gateway.url}/v1", "api_key": API_KEY, "max_retries": max_retries,
               "requests": requests}
        return Client(self.start_process(
            [*self.commands[language], json.dumps(job)],
            {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}))

    def roles(self, reports):
        return sorted(report["head"]["x-slipstream"].split(";")[0] for report in reports)


class OneClient:
    """What must hold for each client; mixed into one class per language."""

    language = None

    def run_client(self, gateway, *requests, **options):
        return self.start_client(self.language, gateway, requests, **options)

    def test_plain_answers_arrive(self):
        upstream = self.start_upstream(self.every_surface)
        gateway = self.start_gateway(upstream.port)
        streamed, whole, embedding, models = self.run_client(
            gateway, chat.request("a"), chat.request("b", stream=None),
            {"surface": "embeddings", "body": {"model": "m", "input": "x",
                                               "encoding_format": "float"}},
            {"surface": "models"}).ends()
        for report in (streamed, whole):
            self.assertIsNone(report["error"])
            self.assertEqual(report["finish"], "stop")
            self.assertIn("w3-of-call-", report["text"])
        self.assertIn("0.25", embedding["text"])
        self.assertIn("test-model", models["text"])
        ids = {report["head"]["x-request-id"] for report in (streamed, whole, embedding, models)}
        self.assertEqual(len(ids), 4)

    @staticmethod
    def every_surface(call):
        if call.path == "/v1/embeddings":
            call.answer({"object": "list", "model": "m", "usage": {"prompt_tokens": 1,
                         "total_tokens": 1}, "data": [{"object": "embedding", "index": 0,
                                                       "embedding": [0.25, -1.0]}]})
        elif call.path == "/v1/models":
            call.answer({"object": "list", "data": [{"id": "test-model", "object": "model",
                                                     "created": 1, "owned_by": "test"}]})
        else:
            chat.reply(call)

    def test_identical_greedy_streams_share_one_generation(self):
        released = threading.Event()
        upstream = self.start_upstream(lambda call: chat.reply(call, released))
        gateway = self.start_gateway(upstream.port)
        client = self.run_client(gateway, *[chat.request()] * 6)
        client.wait_for("first", 6)
        released.set()
        ends = client.ends()
        self.assertEqual({end["text"] for end in ends}, {"".join(chat.words(upstream.calls[0]))})
        self.assertEqual([end["error"] for end in ends], [None] * 6)
        self.assertEqual(len(upstream.calls), 1)
        self.assertEqual(self.roles(ends), ["follower"] * 5 + ["leader"])
        collapsed = [end for end in ends if "collapsed" in end["head"]["cache-status"]]
        self.assertEqual(len(collapsed), 5)

    def test_identical_greedy_whole_answers_share_one_generation(self):
        released = threading.Event()
        upstream = self.start_upstream(lambda call: chat.reply(call, released))
        gateway = self.start_gateway(upstream.port)
        client = self.run_client(gateway, *[chat.request(stream=None)] * 4)
        wait_until(lambda: self.subscribers(gateway) == 4, "four callers on one flight")
        released.set()
        ends = client.ends()
        self.assertEqual([end["error"] for end in ends], [None] * 4)
        self.assertEqual(len({end["text"] for end in ends}), 1)
        self.assertEqual(len(upstream.calls), 1)

    def test_sampled_streams_are_generated_one_by_one(self):
        released = threading.Event()
        upstream = self.start_upstream(lambda call: chat.reply(call, released))
        gateway = self.start_gateway(upstream.port)
        client = self.run_client(gateway, *[chat.request(temperature=None)] * 4)
        upstream.wait_for_calls(4)
        released.set()
        ends = client.ends()
        self.assertEqual(len({end["text"] for end in ends}), 4)
        self.assertEqual(len(upstream.calls), 4)
        for end in ends:
            self.assertIn('detail="sampled"', end["head"]["cache-status"])

    def test_the_only_caller_aborts_and_the_generation_stops(self):
        never = threading.Event()
        upstream = self.start_upstream(lambda call: chat.reply(call, never))
        gateway = self.start_gateway(upstream.port)
        client = self.run_client(gateway, {"surface": "chat", "body": chat.request(),
                                           "abort_after": 1})
        self.assertTrue(client.ends()[0]["aborted"])
        wait_until(upstream.calls[0].aborted.is_set, "the upstream call to be cancelled")

    def test_one_of_two_callers_aborts_and_the_other_gets_everything(self):
        released = threading.Event()
        upstream = self.start_upstream(lambda call: chat.reply(call, released))
        gateway = self.start_gateway(upstream.port)
        staying = self.run_client(gateway, chat.request())
        staying.wait_for("first", 1)
        leaving = self.run_client(gateway, {"surface": "chat", "body": chat.request(),
                                            "abort_after": 1})
        self.assertTrue(leaving.ends()[0]["aborted"])
        wait_until(lambda: self.subscribers(gateway) == 1, "the caller's leave")
        released.set()
        (end,) = staying.ends()
        self.assertIsNone(end["error"])
        self.assertEqual(end["text"], "".join(chat.words(upstream.calls[0])))
        self.assertEqual(len(upstream.calls), 1)
        self.assertFalse(upstream.calls[0].aborted.is_set())

    def test_rejections_arrive_as_typed_errors(self):
        kinds = {400: "BadRequestError", 401: "AuthenticationError", 404: "NotFoundError"}

        def reject(call):
            status = int(call.json()["messages"][0]["content"])
            call.answer({"error": {"message": f"rejected with {status}", "param": "model",
                                   "type": "invalid_request_error", "code": "made_up"}}, status)
        upstream = self.start_upstream(reject)
        gateway = self.start_gateway(upstream.port)
        ends = self.run_client(gateway, *[chat.request(str(status)) for status in kinds],
                               max_retries=2).ends()
        for end, (status, kind) in zip(ends, kinds.items()):
            with self.subTest(status=status):
                self.assertEqual(end["error"]["kind"], kind)
                self.assertEqual(end["error"]["status"], status)
                self.assertEqual(end["error"]["code"], "made_up")
                self.assertIn(f"rejected with {status}", end["error"]["message"])
        self.assertEqual(len(upstream.calls), 3)  # nobody retried a rejection

    def test_a_cut_stream_is_an_error(self):
        def cut(call):
            call.head(content_type="text/event-stream")
            call.event(chat.chunk("half "))
            call.reset()
        upstream = self.start_upstream(cut)
        gateway = self.start_gateway(upstream.port)
        (end,) = self.run_client(gateway, chat.request(), max_retries=2).ends()
        self.assertEqual(end["text"], "half ")
        self.assertIsNotNone(end["error"])
        self.assertIsNone(end["finish"])
        self.assertEqual(len(upstream.calls), 1)  # no second call after a token was delivered

    def test_a_brief_outage_is_hidden_by_the_gateway(self):
        def once_down(call):
            if call.number > 1:
                return chat.reply(call)
            return call.answer({"error": {"message": "down", "type": "server_error",
                                          "param": None, "code": None}}, 503)
        upstream = self.start_upstream(once_down)
        gateway = self.start_gateway(upstream.port)
        (end,) = self.run_client(gateway, chat.request()).ends()
        self.assertIsNone(end["error"])
        self.assertEqual(len(upstream.calls), 2)

    def test_x_should_retry_false_ends_the_retries(self):
        upstream = self.start_upstream(lambda call: call.answer(
            {"error": {"message": "down", "type": "server_error", "param": None, "code": None}},
            503, [("x-should-retry", "false")]))
        gateway = self.start_gateway(upstream.port, CLIENTS_RETRY)
        (end,) = self.run_client(gateway, chat.request(), max_retries=2).ends()
        self.assertEqual(end["error"]["status"], 503)
        self.assertEqual(len(upstream.calls), 1)

    def test_retry_after_ms_is_obeyed(self):
        def once_busy(call):
            if call.number > 1:
                return chat.reply(call)
            return call.answer({"error": {"message": "busy", "type": "rate_limit", "param": None,
                                          "code": None}}, 429, [("retry-after-ms", "1200")])
        upstream = self.start_upstream(once_busy)
        gateway = self.start_gateway(upstream.port, CLIENTS_RETRY)
        (end,) = self.run_client(gateway, chat.request(), max_retries=2).ends()
        self.assertIsNone(end["error"])
        first, second = upstream.calls
        # Without the header both clients come back after half a second at most.
        self.assertGreaterEqual(second.arrived_at - first.arrived_at, 1.2)


class JavaScriptClient(OneClient, ClientCase):
    language = "JavaScript"


class PythonClient(OneClient, ClientCase):
    language = "Python"


class BothClients(ClientCase):
    def test_one_body_from_both_languages_shares_one_generation(self):
        """Their heads differ (user-agent, x-stainless-*), their bodies in order and white space."""
        released = threading.Event()
        upstream = self.start_upstream(lambda call: chat.reply(call, released))
        gateway = self.start_gateway(upstream.port)
        clients = [self.start_client(language, gateway, [chat.request()] * 3)
                   for language in self.commands]
        for client in clients:
            client.wait_for("first", 3)
        released.set()
        ends = [end for client in clients for end in client.ends()]
        self.assertEqual(len({end["text"] for end in ends}), 1)
        self.assertEqual(len(upstream.calls), 1)
        self.assertEqual(self.roles(ends), ["follower"] * 5 + ["leader"])


if __name__ == "__main__":
    main()
