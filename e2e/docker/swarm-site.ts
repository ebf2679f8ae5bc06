import { openDockerCluster } from '@hortus/daemon/engine/docker/docker-cluster';
import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import { sharedBusyboxImage } from '@hortus/testkit/images';
import { startProcess } from '@hortus/testkit/process';
import { relay } from '@hortus/testkit/relay';
import { letIn, openPortForward, startSwarm } from '@hortus/testkit/swarm';
import { namedTasks } from './named-tasks.ts';
import type { Site } from './site.ts';

const INGRESS_IMAGE = 'hortus.test/caddy:2';
const TUNNEL_IMAGE = 'hortus.test/haproxy:1';

/** Starts a Swarm of one node, which also serves the routes. Its daemon has to run on that node. */
export async function openSwarmSite(httpPort: number): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const swarm = opened.use(await startSwarm({ nodes: 1 }));
  const [node] = swarm.nodes;
  const { socketPath, prefix, inside } = node;
  const run = async (...argv: [string, ...string[]]) => {
    const child = startProcess(argv);
    const { code } = await child.exited;
    if (code !== 0) throw new Error(`${argv.join(' ')} failed: ${child.output}`);
  };
  // Tasks look for their images in a registry first: without an answer of a name server each would wait 40 s.
  await run(...prefix, 'ip', 'route', 'replace', 'unreachable', 'default');
  await run('docker', '-H', `unix://${socketPath}`, 'node', 'update', '--label-add', 'hortus.ingress=true', node.name);
  await sharedBusyboxImage(socketPath, INGRESS_IMAGE, { programs: ['caddy'] });
  await sharedBusyboxImage(socketPath, TUNNEL_IMAGE, { programs: ['haproxy'] });
  const ingress = opened.use(await openPortForward(node, node, httpPort));
  opened.use(await relay({ host: '127.0.0.1', port: httpPort }, { path: ingress.socketPath }));
  const engine = openDockerEngine({ socketPath });
  const cluster = openDockerCluster({ socketPath });
  opened.defer(() => {
    engine.close();
    cluster.close();
  });
  const kept = opened.move();
  return {
    kind: 'cluster',
    socketPath,
    engine: namedTasks(engine, cluster),
    prefix: inside,
    options: ['--cluster', '--ingress-image', INGRESS_IMAGE, '--tunnel-image', TUNNEL_IMAGE],
    async letIn(url) {
      kept.use(await letIn(node, Number(new URL(url).port)));
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
