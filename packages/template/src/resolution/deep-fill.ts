import type { Filled } from '../interpolation/fill.ts';
import { isMapping } from '../schema/schema-check.ts';

export type FillText = (text: string) => Filled;

/**
 * Fills every string in a value. A key whose text is unset is omitted. A list entry becomes empty instead, because
 * positions matter, unless `${x:+…}` omits it. Collects the JSON pointers of secrets.
 */
export function deepFill<T>(value: T, pointer: string, fillText: FillText, secretPaths: string[]): T {
  return filled(value, pointer) as T;

  function filled(inner: unknown, at: string): unknown {
    if (typeof inner === 'string') return filledText(inner, at).text;
    if (Array.isArray(inner)) return isPlain(inner) ? inner : filledList(inner, at);
    if (!isMapping(inner) || isPlain(inner)) return inner;
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(inner)) {
      const entry = filled(inner[key], `${at}/${pointerStep(key)}`);
      if (entry !== undefined) result[key] = entry;
    }
    return result;
  }

  function filledList(list: readonly unknown[], at: string): unknown[] {
    const result: unknown[] = [];
    for (const item of list) {
      const place = `${at}/${result.length}`;
      if (typeof item !== 'string') result.push(filled(item, place));
      else {
        const { text, omitted } = filledText(item, place);
        if (!omitted) result.push(text ?? '');
      }
    }
    return result;
  }

  function filledText(text: string, at: string): Filled {
    if (!text.includes('${')) return { text, secret: false, omitted: false };
    const result = fillText(text);
    if (result.secret && result.text !== undefined) secretPaths.push(at);
    return result;
  }
}

const plain = new WeakMap<object, boolean>();

/** Most of a spec has nothing to fill. Frozen values are checked once and then reused unchanged. */
function isPlain(value: object): boolean {
  if (!Object.isFrozen(value)) return false;
  let known = plain.get(value);
  if (known === undefined) {
    known = Object.values(value).every((inner) =>
      typeof inner === 'string' ? !inner.includes('${') : typeof inner !== 'object' || inner === null || isPlain(inner),
    );
    plain.set(value, known);
  }
  return known;
}

/** Escapes one step of an RFC 6901 pointer. */
function pointerStep(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key;
}
