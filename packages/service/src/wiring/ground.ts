import type { Config } from '../config.ts';
import type { Passwords } from '../identity/passwords.ts';
import type { Log } from '../log.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { Catalog } from '../resources/templates/catalog.ts';
import type { Pages } from '../storage/page.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import type { Vault } from '../vault/vault.ts';
import type { Work } from '../workers/job.ts';

/** What the process has before it has any resource. */
export interface Ground {
  readonly config: Config;
  readonly log: Log;
  readonly version: string;
  readonly replica: string;
  readonly storage: Storage;
  readonly vault: Vault;
  readonly passwords: Passwords;
  readonly catalog: Catalog;
  readonly work: Work;
}

/** And what the resources have in common. */
export interface SharedGround extends Ground {
  readonly pages: Pages;
  readonly quotas: Quotas;
  /** Tells the daemon of a server, after the commit, that there is something for it. */
  readonly wake: (tx: Tx, serverId: string) => void;
}
