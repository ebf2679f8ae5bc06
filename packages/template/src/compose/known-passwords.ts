import type { Secret } from '@hortus/contract/template/secrets';
import { generatorLike } from './secret-names.ts';

interface Known {
  name: string;
  /** Missing where the variable that has it as its default became the secret. */
  secret?: Secret;
}

/** Shorter ones are words that may well stand for something else. */
const DISTINCTIVE = 8;

/**
 * Passwords written down in a Compose file, by their value: everybody who copied the file has the same one. Each becomes a
 * secret, and every place that must know it refers to that.
 */
export class KnownPasswords {
  readonly #known = new Map<string, Known>();
  readonly #words = new Set<string>();
  #places: [RegExp, string][] | undefined;

  /** A word that also means something else here, such as the name of a service. */
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

  /** The text in parts: as it stands, or a secret in place of its value. */
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
    const told = `(?<=(?:password|passwd|pass|requirepass|PASSWORD|PASS)(?:=|:| |: |=")["']?)${word}${boundary}`;
    const inAddress = `(?<=:)${word}(?=@)`;
    const free = anywhere ? `|(?<![A-Za-z0-9_])${word}${boundary}` : '';
    return new RegExp(`${inAddress}|${told}${free}`, 'g');
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
