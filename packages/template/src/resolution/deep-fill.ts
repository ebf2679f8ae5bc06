import type { Filled } from '../interpolation/fill.ts';
import { isMapping } from '../schema-check.ts';

export type FillText = (text: string) => Filled;

/**
 * The value with every string in it filled. A key whose text comes out as unset is left out, an entry of a list is
 * empty instead, since its neighbours count on their places. Secrets are noted by JSON pointer.
 */
export function deepFill<T>(value: T, pointer: string, fillText: FillText, secretPaths: string[]): T {
  return filled(value, pointer) as T;

  function filled(inner: unknown, at: string): unknown {
    if (typeof inner === 'string') return filledText(inner, at);
    if (Array.isArray(inner)) return inner.map((item, index) => filled(item, `${at}/${index}`) ?? '');
    if (!isMapping(inner)) return inner;
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(inner)) {
      const entry = filled(inner[key], `${at}/${pointerStep(key)}`);
      if (entry !== undefined) result[key] = entry;
    }
    return result;
  }

  function filledText(text: string, at: string): string | undefined {
    if (!text.includes('${')) return text;
    const { text: result, secret } = fillText(text);
    if (secret && result !== undefined) secretPaths.push(at);
    return result;
  }
}

/** One step of an RFC 6901 pointer. */
function pointerStep(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key;
}
