/** Longest line that is parsed. Events and progress have some kilobytes, mostly labels, which an image may choose. */
const MAX_LENGTH = 1024 * 1024;

/**
 * Parses a stream of JSON lines. Lines and characters may be split between pieces. Leaves out lines that are too long, and those that
 * are not `wanted`.
 */
export async function* jsonLines<T>(
  source: AsyncIterable<Buffer>,
  wanted: (line: string) => boolean = () => true,
): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  const add = (part: string) => {
    length += part.length;
    if (length <= MAX_LENGTH) parts.push(part);
  };
  const take = (): string => {
    const line = length > MAX_LENGTH ? '' : parts.join('').trim();
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of source) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    add(first);
    for (const other of others) {
      const line = take();
      if (line !== '' && wanted(line)) yield JSON.parse(line) as T;
      add(other);
    }
  }
  const line = take();
  if (line !== '' && wanted(line)) yield JSON.parse(line) as T;
}
