// The AI SDK with its two providers; createOpenAI asks /v1/responses unless told otherwise.
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { embed, generateText, streamText } from "ai";
import { collect } from "./collect.mjs";

export default function connect(url, headers, model) {
  const settings = { baseURL: `${url}/v1`, apiKey: "sk-test", headers };
  const openai = createOpenAI(settings);
  const compatible = createOpenAICompatible({ name: "stub", ...settings });

  const generating = (served) => async (prompt, stream) => {
    const call = {
      model: served, prompt, temperature: 0, maxRetries: 0,
      providerOptions: { openai: { store: false } },
    };
    if (!stream) {
      const answer = await generateText(call);
      return { text: answer.text, finish: answer.finishReason };
    }
    let failure = null;
    const answer = streamText({ ...call, onError: ({ error }) => { failure = error; } });
    const { text } = await collect(answer.textStream, (part) => part);
    if (failure) throw failure;
    return { text, finish: await answer.finishReason };
  };

  return {
    responses: generating(openai(model)),
    chat: generating(openai.chat(model)),
    compatible: generating(compatible(model)),
    async embeddings(prompt) {
      const { embedding } = await embed(
        { model: openai.embeddingModel(model), value: prompt, maxRetries: 0 });
      return { text: JSON.stringify(embedding), finish: null };
    },
  };
}
