import OpenAI, { toFile } from "openai";
import { collect } from "./collect.mjs";

// An error event of this surface is an event like others to the library, it does not throw.
function deltaOf(event) {
  if (event.type === "error") throw new Error(event.message);
  return event.type === "response.output_text.delta" ? event.delta : "";
}

export default function connect(url, headers, model) {
  const client = new OpenAI({
    baseURL: `${url}/v1`, apiKey: "sk-test", maxRetries: 0, defaultHeaders: headers,
  });
  const greedy = { model, temperature: 0 };

  async function transcribe(prompt, members) {
    const file = await toFile(Buffer.from(`RIFF ${prompt}`), "speech.wav");
    return client.audio.transcriptions.create({ ...greedy, file, ...members });
  }

  return {
    async chat(prompt, stream) {
      const messages = [{ role: "user", content: prompt }];
      const answer = await client.chat.completions.create({ ...greedy, messages, stream });
      if (stream) {
        return collect(answer, (chunk) => chunk.choices[0]?.delta?.content,
                       (chunk) => chunk.choices[0]?.finish_reason);
      }
      const [choice] = answer.choices;
      return { text: choice.message.content, finish: choice.finish_reason };
    },
    async completions(prompt, stream) {
      const answer = await client.completions.create({ ...greedy, prompt, stream });
      if (stream) {
        return collect(answer, (chunk) => chunk.choices[0]?.text,
                       (chunk) => chunk.choices[0]?.finish_reason);
      }
      return { text: answer.choices[0].text, finish: answer.choices[0].finish_reason };
    },
    async responses(prompt, stream) {
      const answer = await client.responses.create(
        { ...greedy, input: prompt, store: false, stream });
      if (stream) {
        return collect(answer, deltaOf, (event) => event.response?.status);
      }
      return { text: answer.output_text, finish: answer.status };
    },
    async embeddings(prompt) {  // asks for base64 on the wire
      const answer = await client.embeddings.create({ model, input: prompt });
      return { text: JSON.stringify(answer.data[0].embedding), finish: null };
    },
    async transcriptions(prompt, stream) {
      const answer = await transcribe(prompt, { stream });
      if (!stream) return { text: answer.text, finish: null };
      return collect(answer, (event) => event.type === "transcript.text.delta" ? event.delta : "",
                     (event) => event.type === "transcript.text.done" ? "done" : null);
    },
    async transcripts(prompt) {
      return { text: await transcribe(prompt, { response_format: "text" }), finish: null };
    },
  };
}
