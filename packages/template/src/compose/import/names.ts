import { trimmed, withoutTrailing } from '@hortus/contract/runtime/trimmed';

/** Assigns unique names. */
export class Names {
  readonly #taken = new Set<string>();
  readonly #maxLength: number;
  readonly #separator: string;

  constructor(maxLength: number, separator: '-' | '_') {
    this.#maxLength = maxLength;
    this.#separator = separator;
  }

  take(wanted: string): string {
    const base = wanted.slice(0, this.#maxLength);
    let name = base;
    for (let number = 2; this.#taken.has(name); number++) {
      const suffix = `${this.#separator}${number}`;
      name = base.slice(0, this.#maxLength - suffix.length) + suffix;
    }
    this.#taken.add(name);
    return name;
  }
}

/** Converts `My_App.1` to `my-app-1`, the form of slugs, components and routes. */
export function dashed(text: string, otherwise: string): string {
  const name = trimmed(text.toLowerCase().replace(/[^a-z0-9]+/g, '-'), '-');
  return name === '' ? otherwise : name;
}

/** Converts to a bounded DNS label with a leading letter. */
export function componentName(service: string): string {
  const name = dashed(service, 'service');
  return withoutTrailing((/^[a-z]/.test(name) ? name : `c-${name}`).slice(0, 31), '-');
}

/** Returns the name of a volume. */
export function storageName(text: string): string {
  const name = withoutTrailing(
    text
      .toLowerCase()
      .replace(/[^a-z0-9_-]+/g, '-')
      .replace(/^[^a-z]+/, ''),
    '-',
  );
  return (name === '' ? 'data' : name).slice(0, 63);
}

/** Returns the name of an input or secret, in capitals like the variables of a Compose file. */
export function questionName(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^[^A-Za-z_]+/, '');
  return (name === '' ? 'VALUE' : name).slice(0, 64);
}

export function capitals(text: string): string {
  return questionName(text.toUpperCase());
}
