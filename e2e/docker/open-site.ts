import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import { sharedDocker } from '@hortus/testkit/docker';
import { onSwarm } from './on-swarm.ts';
import type { Site } from './site.ts';
import { openSwarmSite } from './swarm-site.ts';

export interface SiteOptions {
  /** Default is a cluster in test runs on a Swarm, and otherwise a server. */
  readonly kind?: Site['kind'] | undefined;
  /** Socket of a particular engine of a server; default is that of the test run. */
  readonly socketPath?: string | undefined;
  /** Port of this machine at which the ingress of the site is reached. */
  readonly httpPort: number;
}

/** Starts a Swarm for a cluster; a server uses an engine that is running. */
export async function openSite({ kind, socketPath, httpPort }: SiteOptions): Promise<Site> {
  const isCluster = kind === undefined ? onSwarm && socketPath === undefined : kind === 'cluster';
  if (isCluster) return await openSwarmSite(httpPort);
  const path = socketPath ?? sharedDocker();
  const engine = openDockerEngine({ socketPath: path });
  return {
    kind: 'server',
    socketPath: path,
    engine,
    prefix: [],
    options: [],
    letIn: async () => {},
    async [Symbol.asyncDispose]() {
      engine.close();
    },
  };
}
