import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long the lookup of a known name may take before the addresses of its last answer are used. */
const TIMEOUT_MS = 500;

export type LookUp = (name: string) => Promise<LookupAddress[]>;

/**
 * Resolves the names of servers. A lost machine often takes its name along, and the lookup of a missing name may take many
 * seconds. Node runs only two lookups at a time, so repeated ones of such a name would block those of the other servers.
 * Therefore each name is looked up once at a time, and the last answer is used when the next one is late or fails.
 */
export class HostAddresses {
  readonly #lookUp: LookUp;
  readonly #known = new Map<string, LookupAddress[]>();
  readonly #pending = new Map<string, Promise<LookupAddress[]>>();

  constructor(lookUp: LookUp = (name) => lookup(name, { all: true })) {
    this.#lookUp = lookUp;
  }

  async of(name: string): Promise<LookupAddress[]> {
    const known = this.#known.get(name);
    const asked = this.#ask(name);
    if (known === undefined) return await asked;
    return await Promise.race([asked.catch(() => known), sleep(TIMEOUT_MS, known, { ref: false })]);
  }

  #ask(name: string): Promise<LookupAddress[]> {
    const pending = this.#pending.get(name);
    if (pending) return pending;
    const asked = this.#lookUp(name)
      .then((addresses) => {
        this.#known.set(name, addresses);
        return addresses;
      })
      .finally(() => this.#pending.delete(name));
    this.#pending.set(name, asked);
    return asked;
  }
}
