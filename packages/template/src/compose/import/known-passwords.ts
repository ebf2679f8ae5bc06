import type { Secret } from '@hortus/contract/template/secrets';
import { generatorLike } from './secret-names.ts';

interface Known {
  name: string;
  /** Absent if the password is the default of a variable, which then becomes the secret. */
  secret?: Secret;
}

/** Minimum length of a password that is replaced anywhere; shorter ones may be ordinary words. */
const DISTINCTIVE = 8;

/**
 * Passwords in a Compose file, by value: every copy of the file has the same ones. Each becomes a secret, and every
 * place that contains it refers to the secret.
 */
export class KnownPasswords {
  readonly #known = new Map<string, Known>();
  readonly #words = new Set<string>();
  #places: [RegExp, string][] | undefined;

  /** Excludes a word with another meaning, such as the name of a service. */
  reserve(word: string): void {
    this.#words.add(word);
  }

  add(value: string, name: string): void {
    if (this.#known.has(value)) return;
    this.#known.set(value, { name, secret: generatorLike(value) });
    this.#places = undefined;
  }

  addVariable(value: string, name: string): void {
    this.#known.set(value, { name });
    this.#places = undefined;
  }

  nameOf(value: string): string | undefined {
    return this.#known.get(value)?.name;
  }

  secrets(): [string, Secret][] {
    return [...this.#known.values()].flatMap(({ name, secret }): [string, Secret][] =>
      secret ? [[name, secret]] : [],
    );
  }

  /** Splits a text into literals and references to secrets. */
  within(text: string): (string | { secret: string })[] {
    let parts: (string | { secret: string })[] = [text];
    this.#places ??= [...this.#known].map(([value, { name }]) => [this.#placesOf(value), name]);
    for (const [places, secret] of this.#places) {
      parts = parts.flatMap((part) => (typeof part === 'string' ? cut(part, places, secret) : [part]));
    }
    return parts.filter((part) => part !== '');
  }

  #placesOf(value: string): RegExp {
    const word = value.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
    const anywhere = value.length >= DISTINCTIVE && !this.#words.has(value) && /[^a-z]/.test(value);
    const boundary = '(?![A-Za-z0-9_])';
    const declared = `(?<=(?:password|passwd|pass|requirepass|PASSWORD|PASS)(?:=|:| |: |=")["']?)${word}${boundary}`;
    const inAddress = `(?<=:)${word}(?=@)`;
    const free = anywhere ? `|(?<![A-Za-z0-9_])${word}${boundary}` : '';
    return new RegExp(`${inAddress}|${declared}${free}`, 'g');
  }
}

function cut(text: string, places: RegExp, secret: string): (string | { secret: string })[] {
  const parts: (string | { secret: string })[] = [];
  let from = 0;
  for (const match of text.matchAll(places)) {
    parts.push(text.slice(from, match.index), { secret });
    from = match.index + match[0].length;
  }
  parts.push(text.slice(from));
  return parts;
}
