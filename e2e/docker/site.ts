import type { Engine } from '@hortus/daemon/engine/engine';

/** Where an installation deploys to: a server with Docker, or a Docker Swarm of one node. */
export interface Site extends AsyncDisposable {
  readonly kind: 'server' | 'cluster';
  readonly socketPath: string;
  /** Containers of instances by their names; on a Swarm, tasks under the names that containers would have. */
  readonly engine: Engine;
  /** Command prefix that runs a program there. */
  readonly prefix: readonly string[];
  /** Options of a daemon that only this site needs. */
  readonly options: readonly string[];
  /** Makes an address of this machine's loopback reachable for the engine and its daemon. */
  letIn(url: string): Promise<void>;
}
