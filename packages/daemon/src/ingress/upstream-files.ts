import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InstanceRoute } from './served-route.ts';

/** A file name has room for so many addresses, whatever their length. */
export const ADDRESSES_IN_NAME = 10;
/** Between reading the directory and opening what was found there Caddy needs microseconds; this is for a machine under load. */
const LINGER_MS = 250;

/**
 * Where each route leads, as the names of empty files that Caddy looks at with every request:
 * `<instance>.<route>.<targets>/172.18.0.3:8080,172.18.0.4:8080`. A new set of addresses is there from one request to the next,
 * without a reload of Caddy, which would cut connections of every site on the server; and it outlives both processes.
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

  /** Leads the route to its targets; returns when no request can be led to former ones any more. */
  async lead(route: InstanceRoute): Promise<void> {
    const folder = join(this.#root, folderOf(route));
    const entry = entryOf(route);
    mkdirSync(folder, { recursive: true });
    const [name] = entry?.split('/') ?? [];
    if (entry !== undefined && name !== undefined && !existsSync(join(folder, entry))) this.#make(folder, entry, name);
    const former = readdirSync(folder).filter((one) => one !== name);
    if (former.length === 0) return;
    // The new one is there before the old one goes, so that a request finds at least one of them.
    await sleep(LINGER_MS);
    for (const one of former) rmSync(join(folder, one), { recursive: true, force: true });
  }

  /** Removes what belongs to none of these. */
  tidy(routes: readonly InstanceRoute[]): void {
    const needed = new Set(routes.map(folderOf));
    for (const name of readdirSync(this.#root)) {
      if (!needed.has(name)) rmSync(join(this.#root, name), { recursive: true, force: true });
    }
  }

  /** Made elsewhere and moved, so that more than one name's worth of addresses is there at once, too. */
  #make(folder: string, entry: string, name: string): void {
    const nursery = `${folder}.new`;
    rmSync(nursery, { recursive: true, force: true });
    mkdirSync(dirname(join(nursery, entry)), { recursive: true });
    writeFileSync(join(nursery, entry), '');
    renameSync(join(nursery, name), join(folder, name));
    rmSync(nursery, { recursive: true, force: true });
  }
}

/** With the number of targets in it: Caddy's configuration depends on it, and both must change together. */
export function folderOf({ instanceUid, name, targets }: InstanceRoute): string {
  return `${instanceUid}.${name}.${targets.length}`;
}

/** Undefined where one target is not there: a number short, it would not be understood. */
function entryOf({ targets }: InstanceRoute): string | undefined {
  const there = targets.flatMap(({ address }) => address ?? []);
  const [first] = there;
  if (first === undefined) return undefined;
  // One that does not run is stood in for by one that does.
  const addresses = targets.map(({ address }) => address ?? first);
  const names: string[] = [];
  for (let from = 0; from < addresses.length; from += ADDRESSES_IN_NAME) {
    names.push(addresses.slice(from, from + ADDRESSES_IN_NAME).join(','));
  }
  return names.join('/');
}
