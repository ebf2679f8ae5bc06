/** Parses a stream of JSON lines. Lines and characters may be split between pieces. */
export async function* jsonLines<T>(source: AsyncIterable<Buffer>): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of source) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as T;
  }
  if (text.trim() !== '') yield JSON.parse(text) as T;
}
