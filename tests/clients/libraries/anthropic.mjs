import Anthropic from "@anthropic-ai/sdk";
import { collect } from "./collect.mjs";

export default function connect(url, headers, model) {
  const client = new Anthropic({
    baseURL: url, apiKey: "sk-test", maxRetries: 0, defaultHeaders: headers,
  });
  const said = (prompt) => ({ model, messages: [{ role: "user", content: prompt }] });

  return {
    async messages(prompt, stream) {
      const answer = await client.messages.create(
        { ...said(prompt), max_tokens: 64, temperature: 0, stream });
      if (stream) {
        return collect(answer, (event) => event.delta?.text, (event) => event.delta?.stop_reason);
      }
      return { text: answer.content[0].text, finish: answer.stop_reason };
    },
    async count_tokens(prompt) {
      const answer = await client.messages.countTokens(said(prompt));
      return { text: JSON.stringify(answer.input_tokens), finish: null };
    },
  };
}
