import { trimmed } from '@hortus/contract/runtime/trimmed';

/** Metadata from comments at the top of a file, in the form `# key: value`. */
export interface Header {
  description?: string;
  documentation?: string;
  category?: string;
  tags: string[];
  port?: number;
}

export function readHeader(text: string): Header {
  const said: Record<string, string> = {};
  for (const line of text.slice(0, 4096).split('\n')) {
    if (line.trim() !== '' && !line.startsWith('#')) break;
    const found = /^#\s*(documentation|slogan|category|tags|port)\s*:(.*)$/.exec(line);
    const [, name = '', value = ''] = found ?? [];
    if (value.trim() !== '') said[name] = value.trim();
  }
  const { slogan, documentation, category, tags = '', port = '' } = said;
  const words = tags.split(',').map((tag) =>
    trimmed(
      tag
        .trim()
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-'),
      '-',
    ),
  );
  const number = Number(port);
  return {
    ...(slogan === undefined ? {} : { description: slogan.slice(0, 4000) }),
    ...(documentation !== undefined && /^https?:\/\/\S+$/.test(documentation) ? { documentation } : {}),
    ...(category === undefined
      ? {}
      : {
          category: trimmed(category.toLowerCase().replace(/[^a-z0-9]+/g, '_'), '_'),
        }),
    tags: [...new Set(words)].filter((tag) => tag !== '' && tag.length <= 63).slice(0, 30),
    ...(Number.isInteger(number) && number >= 1 && number <= 65_535 ? { port: number } : {}),
  };
}
