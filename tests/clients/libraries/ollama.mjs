import { Ollama } from "ollama";
import { collect } from "./collect.mjs";

export default function connect(url, headers, model) {
  const client = new Ollama({ host: url, headers });
  const greedy = { model, options: { temperature: 0 } };

  return {
    async chat(prompt, stream) {
      const messages = [{ role: "user", content: prompt }];
      const answer = await client.chat({ ...greedy, messages, stream });
      if (stream) {
        return collect(answer, (part) => part.message.content, (part) => part.done_reason);
      }
      return { text: answer.message.content, finish: answer.done_reason };
    },
    async generate(prompt, stream) {
      const answer = await client.generate({ ...greedy, prompt, stream });
      if (stream) {
        return collect(answer, (part) => part.response, (part) => part.done_reason);
      }
      return { text: answer.response, finish: answer.done_reason };
    },
    async embed(prompt) {
      const answer = await client.embed({ model, input: prompt });
      return { text: JSON.stringify(answer.embeddings[0]), finish: null };
    },
  };
}
