import type { TarEntry } from './tar-check.ts';

/** Bounds the memory for remembered links. */
const MAX_LINKS = 1_000_000;

const kinds: Readonly<Record<string, string>> = { '3': 'a character device', '4': 'a block device' };
/** Files, hard links, symbolic links, folders and pipes. Old tars write a zero byte for a file. */
const known = ['0', '\0', '1', '2', '5', '6'];

/**
 * Decides entry by entry what root may unpack on the host. Rejects paths outside the archive's folder, paths through
 * symbolic links of the archive, hard links to files outside, and devices.
 */
export class SafeEntries {
  readonly #folder: string;
  readonly #links = new Set<string>();

  /** `folder` is the first path segment of every entry. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns why an entry must not be unpacked, or undefined. Must see every entry, in order. */
  refusal({ path, type, target }: TarEntry): string | undefined {
    const shown = JSON.stringify(path.slice(0, 200));
    if (!known.includes(type))
      return `${shown} is ${kinds[type] ?? `an entry of the unknown type ${JSON.stringify(type)}`}`;
    const segments = this.#inside(path);
    if (segments === undefined) return `${shown} leads out of the volume`;
    if (this.#passesLink(segments)) return `${shown} leads through a symbolic link of the archive`;
    const own = segments.join('/');
    // A hard link to a symbolic link is a symbolic link too.
    let isLink = type === '2';
    if (type === '1') {
      const linked = this.#inside(target);
      if (linked === undefined || this.#passesLink(linked)) return `${shown} is a link to a file outside the volume`;
      isLink = this.#links.has(linked.join('/'));
    }
    if (!isLink) this.#links.delete(own);
    else if (this.#links.size >= MAX_LINKS) return `it has more than ${MAX_LINKS} symbolic links`;
    else this.#links.add(own);
    return undefined;
  }

  #inside(path: string): string[] | undefined {
    const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
    const [first] = segments;
    if (path.startsWith('/') || first !== this.#folder || segments.includes('..')) return undefined;
    return segments;
  }

  #passesLink(segments: readonly string[]): boolean {
    if (this.#links.size === 0) return false;
    return segments.some((_, index) => index > 0 && this.#links.has(segments.slice(0, index).join('/')));
  }
}
