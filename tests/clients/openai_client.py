"""Runs one job with the real OpenAI client for Python; openai_client.mjs says what a job is."""

import asyncio
import json
import sys

import openai


def report(**line):
    print(json.dumps(line), flush=True)


def describe(error):
    return {"kind": type(error).__name__, "status": getattr(error, "status_code", None),
            "code": getattr(error, "code", None), "type": getattr(error, "type", None),
            "message": str(error)}


def blank(**members):
    return {"text": "", "finish": None, "chunks": 0, "aborted": False, "error": None, **members}


async def stream(index, chunks, head, limit):
    seen = blank()
    try:
        async for chunk in chunks:
            if chunk.choices:
                seen["text"] += chunk.choices[0].delta.content or ""
                seen["finish"] = chunk.choices[0].finish_reason or seen["finish"]
            seen["chunks"] += 1
            if seen["chunks"] == 1:
                report(index=index, event="first", head=head)
            if seen["chunks"] == limit:
                seen["aborted"] = True
                await chunks.close()
                break
    except Exception as error:  # every failure is the client's own and part of the report
        seen["error"] = describe(error)
    return seen


def whole(surface, data):
    if surface == "chat":
        choice = data.choices[0]
        return blank(text=choice.message.content, finish=choice.finish_reason)
    return blank(text=json.dumps([item.model_dump() for item in data.data]))


async def call(client, surface, body):
    if surface == "embeddings":
        return await client.embeddings.with_raw_response.create(**body)
    if surface == "models":
        return await client.models.with_raw_response.list()
    return await client.chat.completions.with_raw_response.create(**body)


async def run(client, request, index):
    surface, body = request["surface"], request.get("body") or {}
    try:
        raw = await call(client, surface, body)
        head, data = dict(raw.headers), raw.parse()
        if body.get("stream"):
            end = await stream(index, data, head, request.get("abort_after"))
        else:
            end = whole(surface, data)
        report(index=index, event="end", head=head, **end)
    except openai.OpenAIError as error:
        response = getattr(error, "response", None)
        report(index=index, event="end", head=dict(response.headers) if response else {},
               **blank(error=describe(error)))


async def main(job):
    async with openai.AsyncOpenAI(base_url=job["base_url"], api_key=job["api_key"],
                                  max_retries=job["max_retries"]) as client:
        await asyncio.gather(*(run(client, request, index)
                               for index, request in enumerate(job["requests"])))


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
