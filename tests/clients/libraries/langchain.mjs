import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { collect } from "./collect.mjs";

export default function connect(url, headers, model) {
  const settings = {
    model, apiKey: "sk-test", maxRetries: 0,
    configuration: { baseURL: `${url}/v1`, defaultHeaders: headers },
  };
  return {
    async chat(prompt, stream) {
      const chat = new ChatOpenAI({ ...settings, temperature: 0 });
      if (stream) {
        return collect(await chat.stream(prompt), (chunk) => chunk.content,
                       (chunk) => chunk.response_metadata?.finish_reason);
      }
      const answer = await chat.invoke(prompt);
      return { text: answer.content, finish: answer.response_metadata.finish_reason };
    },
    async embeddings(prompt) {
      const vector = await new OpenAIEmbeddings(settings).embedQuery(prompt);
      return { text: JSON.stringify(vector), finish: null };
    },
  };
}
