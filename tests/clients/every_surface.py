"""Runs one job with the OpenAI client for Python; every_surface.mjs says what a job is."""

import asyncio
import json
import sys

import openai


async def collect(parts, text, finish=lambda part: None):
    """Reads a stream to its end: its texts joined, and the last finish reason of any part."""
    seen = {"text": "", "finish": None}
    async for part in parts:
        seen["text"] += text(part) or ""
        seen["finish"] = finish(part) or seen["finish"]
    return seen


def of_choice(chunk, read):
    return read(chunk.choices[0]) if chunk.choices else None


async def chat(client, call, prompt, stream):
    answer = await client.chat.completions.create(
        **call, temperature=0, messages=[{"role": "user", "content": prompt}], stream=stream)
    if stream:
        return await collect(answer, lambda chunk: of_choice(chunk, lambda c: c.delta.content),
                             lambda chunk: of_choice(chunk, lambda c: c.finish_reason))
    choice = answer.choices[0]
    return {"text": choice.message.content, "finish": choice.finish_reason}


async def completions(client, call, prompt, stream):
    answer = await client.completions.create(**call, temperature=0, prompt=prompt, stream=stream)
    if stream:
        return await collect(answer, lambda chunk: of_choice(chunk, lambda c: c.text),
                             lambda chunk: of_choice(chunk, lambda c: c.finish_reason))
    return {"text": answer.choices[0].text, "finish": answer.choices[0].finish_reason}


def response_delta(event):
    """An error event of this surface is an event like others to the library, it does not raise."""
    if event.type == "error":
        raise RuntimeError(event.message)
    return event.delta if event.type == "response.output_text.delta" else ""


async def responses(client, call, prompt, stream):
    answer = await client.responses.create(**call, temperature=0, input=prompt, store=False,
                                           stream=stream)
    if stream:
        return await collect(
            answer, response_delta,
            lambda event: event.response.status if hasattr(event, "response") else None)
    return {"text": answer.output_text, "finish": answer.status}


async def embeddings(client, call, prompt, _stream):
    answer = await client.embeddings.create(**call, input=prompt)
    return {"text": json.dumps(answer.data[0].embedding), "finish": None}


def transcribe(client, call, prompt, **members):
    file = ("speech.wav", f"RIFF {prompt}".encode())
    return client.audio.transcriptions.create(**call, temperature=0, file=file, **members)


async def transcriptions(client, call, prompt, stream):
    answer = await transcribe(client, call, prompt, stream=stream)
    if not stream:
        return {"text": answer.text, "finish": None}
    return await collect(
        answer, lambda event: event.delta if event.type == "transcript.text.delta" else "",
        lambda event: "done" if event.type == "transcript.text.done" else None)


async def transcripts(client, call, prompt, _stream):
    return {"text": await transcribe(client, call, prompt, response_format="text"), "finish": None}


SURFACES = {run.__name__: run for run in
            (chat, completions, responses, embeddings, transcriptions, transcripts)}


async def ask(job, number, caller):
    case = job["cases"][number]
    report = {"case": number, "caller": caller, "text": None, "finish": None, "error": None}
    call = {"model": job["model"], "extra_headers": case["headers"][caller]}
    async with openai.AsyncOpenAI(base_url=f"{job['url']}/v1", api_key="sk-test",
                                  max_retries=0) as client:
        try:
            report |= await SURFACES[case["surface"]](client, call, case["prompt"], case["stream"])
        except Exception as error:  # every failure is the client's own and part of the report
            report["error"] = f"{type(error).__name__}: {error}"
    print(json.dumps(report), flush=True)


async def main(job):
    await asyncio.gather(*(ask(job, number, caller) for number, case in enumerate(job["cases"])
                           for caller in range(len(case["headers"]))))


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
