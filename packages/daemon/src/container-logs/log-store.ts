import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InstanceLog } from './instance-log.ts';
import type { RingLimits } from './ring.ts';

export interface LogStoreOptions {
  folder: string;
  limits(uid: string, component: string): RingLimits;
}

/** Form of instance and component names, which become folder names; they come from labels of containers. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
export const isLogName = (name: string | undefined): name is string => name !== undefined && NAME.test(name);

/** The stored logs of all instances, including removed ones until their age. */
export class LogStore {
  readonly #options: LogStoreOptions;
  readonly #open = new Map<string, Promise<InstanceLog>>();

  constructor(options: LogStoreOptions) {
    this.#options = options;
  }

  of(uid: string): Promise<InstanceLog> {
    const known = this.#open.get(uid);
    if (known) return known;
    if (!isLogName(uid)) throw new Error(`${uid} is not the name of an instance.`);
    const { folder, limits } = this.#options;
    const opened = InstanceLog.open({
      folder: join(folder, uid),
      limits: (component) => limits(uid, component),
    });
    this.#open.set(uid, opened);
    opened.catch(() => this.#open.delete(uid));
    return opened;
  }

  /** Drops what is beyond the limits, also of instances that no longer exist. */
  async tidy(): Promise<void> {
    const names = await readdir(this.#options.folder).catch(() => []);
    for (const uid of names.filter(isLogName)) await (await this.of(uid)).tidy();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(async (log) => (await log).close()));
  }
}
