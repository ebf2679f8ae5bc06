import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InstanceRoute } from '../journal/served-route.ts';

/** Addresses that fit into a file name, whatever their length. */
export const ADDRESSES_IN_NAME = 10;
/**
 * Caddy needs microseconds between listing the directory and opening a file, and from the arrival of a request to its lookup;
 * this allows for a loaded machine.
 */
const LINGER_MS = 250;

/**
 * Stores the targets of each route as names of empty files that Caddy reads with every request:
 * `<instance>.<route>.<targets>/172.18.0.3:8080,172.18.0.4:8080`. New addresses take effect with the next request,
 * without a reload of Caddy, which would close connections of every site on the server. The files survive both
 * processes.
 */
export class UpstreamFiles {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    mkdirSync(root, { recursive: true, mode: 0o700 });
  }

  get root(): string {
    return this.#root;
  }

  /** Sets the targets of a route; returns when no request can reach the former ones. */
  async lead(route: InstanceRoute): Promise<void> {
    const folder = join(this.#root, folderOf(route));
    const entry = entryOf(route);
    mkdirSync(folder, { recursive: true });
    const [name] = entry?.split('/') ?? [];
    if (entry !== undefined && name !== undefined && !existsSync(join(folder, entry))) this.#make(folder, entry, name);
    const former = readdirSync(folder).filter((text) => text !== name);
    if (former.length === 0) return;
    // Create the new entry before removing the old one, so that every request finds one of them.
    await sleep(LINGER_MS);
    for (const text of former) rmSync(join(folder, text), { recursive: true, force: true });
  }

  /**
   * Removes the files of all other routes, once Caddy has the configuration of these. A reload does not wait for requests that
   * the former configuration accepted: they look their files up shortly after it.
   */
  async tidy(routes: readonly InstanceRoute[]): Promise<void> {
    const needed = new Set(routes.map(folderOf));
    const former = readdirSync(this.#root).filter((name) => !needed.has(name));
    if (former.length === 0) return;
    await sleep(LINGER_MS);
    for (const name of former) rmSync(join(this.#root, name), { recursive: true, force: true });
  }

  /** Removes all files; Caddy does not run. */
  clear(): void {
    for (const name of readdirSync(this.#root)) rmSync(join(this.#root, name), { recursive: true, force: true });
  }

  /** Builds the entry elsewhere and renames it, so that several file names appear at once. */
  #make(folder: string, entry: string, name: string): void {
    const draft = `${folder}.new`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(dirname(join(draft, entry)), { recursive: true });
    writeFileSync(join(draft, entry), '');
    renameSync(join(draft, name), join(folder, name));
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Contains the number of targets, because Caddy's configuration depends on it and both must change together. */
export function folderOf({ instanceUid, name, targets }: InstanceRoute): string {
  return `${instanceUid}.${name}.${targets.length}`;
}

/** Undefined if no target is running. */
function entryOf({ targets }: InstanceRoute): string | undefined {
  const there = targets.flatMap(({ address }) => address ?? []);
  const [first] = there;
  if (first === undefined) return undefined;
  // Replace a stopped target by a running one: the number of addresses must not change.
  const addresses = targets.map(({ address }) => address ?? first);
  const names: string[] = [];
  for (let from = 0; from < addresses.length; from += ADDRESSES_IN_NAME) {
    names.push(addresses.slice(from, from + ADDRESSES_IN_NAME).join(','));
  }
  return names.join('/');
}
