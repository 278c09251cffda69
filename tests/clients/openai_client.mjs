// Runs one job with the real OpenAI client for JavaScript and reports it line by line as JSON.
//
// The job (argv[2], JSON) and the report are the same as those of openai_client.py:
// job:    {base_url, api_key, max_retries, requests: [{surface, body, abort_after}]}, run together
// report: {index, event: "first", head}      a stream has delivered its first chunk
//         {index, event: "end", head, text, finish, chunks, aborted, error}
import OpenAI from "openai";

const report = (line) => process.stdout.write(JSON.stringify(line) + "\n");

async function stream(index, chunks, head, limit) {
  const seen = { text: "", finish: null, chunks: 0, aborted: false, error: null };
  try {
    for await (const chunk of chunks) {
      const choice = chunk.choices[0];
      seen.text += choice?.delta?.content ?? "";
      seen.finish = choice?.finish_reason ?? seen.finish;
      seen.chunks += 1;
      if (seen.chunks === 1) report({ index, event: "first", head });
      if (seen.chunks === limit) {
        seen.aborted = true;
        chunks.controller.abort();
        break;
      }
    }
  } catch (error) {
    seen.error = describe(error);
  }
  return seen;
}

const whole = (data) => ({
  text: data.choices?.[0]?.message?.content ?? JSON.stringify(data.data),
  finish: data.choices?.[0]?.finish_reason ?? null,
  chunks: 0,
  aborted: false,
  error: null,
});

const describe = (error) => ({
  kind: error.constructor.name,
  status: error.status ?? null,
  code: error.code ?? null,
  type: error.type ?? null,
  message: error.message,
});

function call(client, { surface, body }) {
  if (surface === "embeddings") return client.embeddings.create(body);
  if (surface === "models") return client.models.list();
  return client.chat.completions.create(body);
}

async function run(client, request, index) {
  try {
    const { data, response } = await call(client, request).withResponse();
    const head = Object.fromEntries(response.headers);
    const end = request.body?.stream
      ? await stream(index, data, head, request.abort_after)
      : whole(data);
    report({ index, event: "end", head, ...end });
  } catch (error) {
    report({ index, event: "end", head: Object.fromEntries(error.headers ?? []), text: "",
             finish: null, chunks: 0, aborted: false, error: describe(error) });
  }
}

const job = JSON.parse(process.argv[2]);
const client = new OpenAI({
  baseURL: job.base_url, apiKey: job.api_key, maxRetries: job.max_retries,
});
await Promise.all(job.requests.map((request, index) => run(client, request, index)));
