"""Bodies of the chat surface, requests and answers."""

import json

PATH = "/v1/chat/completions"


def request(content="hello", **members):
    """A chat body, greedy and streamed unless `members` say otherwise; None removes a member."""
    body = {"model": "test-model", "messages": [{"role": "user", "content": content}],
            "temperature": 0, "stream": True, **members}
    return {name: value for name, value in body.items() if value is not None}


def chunk(text=None, finish=None, number=1):
    """One chunk of a streamed answer."""
    delta = {} if text is None else {"role": "assistant", "content": text}
    return {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1700000000,
            "model": "test-model",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def completion(text, number=1):
    """A whole answer that is not streamed."""
    return {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1700000000,
            "model": "test-model",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text},
                         "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}}


def words(call, count=4):
    """The deterministic answer of the scripted upstream to `call`: every word names the call."""
    return [f"w{index}-of-call-{call.number} " for index in range(count)]


def reply(call, released=None):
    """Answers `call` the way a model server does. A stream pauses after its first word until
    `released` is set, an answer that is not streamed before its head."""
    parts = words(call)
    if call.method != "POST" or not json.loads(call.body).get("stream"):
        if released is not None:
            call.hold(released)
        call.answer(completion("".join(parts), call.number))
        return
    call.head(content_type="text/event-stream")
    for index, part in enumerate(parts):
        call.event(chunk(part, number=call.number))
        if index == 0 and released is not None:
            call.hold(released)
    call.event(chunk(finish="stop", number=call.number))
    call.event("[DONE]")
    call.finish()
