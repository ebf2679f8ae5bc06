import type { ConfigFile } from '@hortus/contract/template/storage';
import type { Texts } from './texts.ts';

/** Takes the content of a file literally, except for passwords that became secrets. */
export function plainContent(texts: Texts, content: string): Pick<ConfigFile, 'content' | 'raw'> {
  const written = texts.literal(content);
  return written.includes('${secrets.') || !content.includes('${') ? { content: written } : { content, raw: true };
}
