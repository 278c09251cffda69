// Reads a stream to its end: the texts of its parts joined, and the last finish reason of any part.
export async function collect(parts, text, finish = () => null) {
  const seen = { text: "", finish: null };
  for await (const part of parts) {
    seen.text += text(part) ?? "";
    seen.finish = finish(part) ?? seen.finish;
  }
  return seen;
}
