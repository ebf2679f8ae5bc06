import type { Connection } from '../channel/connection.ts';
import type { Config } from '../config/config.ts';
import type { Invoke } from '../http/invoke.ts';
import type { Passwords } from '../identity/passwords.ts';
import type { AgentBuilder } from '../process/agent-builder.ts';
import type { Log } from '../process/log.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { Catalog } from '../resources/templates/catalog.ts';
import type { Pages } from '../storage/page.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import type { DaemonStreams } from '../streams/daemon-streams.ts';
import type { Vault } from '../vault/vault.ts';
import type { Work } from '../workers/job.ts';

/** Dependencies that exist before any resource. */
export interface BaseDependencies {
  readonly config: Config;
  readonly log: Log;
  readonly version: string;
  readonly replica: string;
  readonly storage: Storage;
  readonly vault: Vault;
  readonly passwords: Passwords;
  readonly catalog: Catalog;
  readonly work: Work;
  /** Reads packs of Git repositories, in threads of its own. */
  readonly repositoryWork: Work;
  /** Opens streams to daemons. */
  readonly streams: Pick<DaemonStreams, 'open'>;
  /** Returns the connection to the daemon of a server, if this process holds it. */
  readonly connectionTo: (serverId: string) => Connection | undefined;
  /** Calls an endpoint on behalf of a caller. */
  readonly invoke: Invoke;
  /** Builds agent binaries that are missing. */
  readonly agentBuilder?: AgentBuilder;
  /** Set by tests. */
  readonly clock?: () => number;
}

/** Dependencies that all resources share. */
export interface SharedDependencies extends BaseDependencies {
  readonly pages: Pages;
  readonly quotas: Quotas;
  /** Notifies the daemon of a server, after the commit, of pending work. */
  readonly wake: (tx: Tx, serverId: string) => void;
}
