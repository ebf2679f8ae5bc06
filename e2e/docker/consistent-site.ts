import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '@hortus/daemon/engine/engine';
import { startLoad } from '@hortus/testkit/load';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import type { Installation } from './installation.ts';

/** Checks that exactly one page is served by exactly the needed containers, volumes and networks. */
export async function expectConsistentSite(
  installation: Installation,
  engine: Engine,
  uid: string,
  greeting: string,
): Promise<void> {
  const labels = { 'hortus.instance': uid };
  const [containers, networks, volumes] = await Promise.all([
    engine.containers({ labels }),
    engine.networks({ labels }),
    engine.volumes({ labels }),
  ]);
  expect(containers.map(({ name, state }) => `${name} ${state}`)).toEqual([`${uid} running`]);
  // The extra network of the rollout is removed when no connection uses it.
  const home = containers[0]?.labels['hortus.home'];
  const names = networks.map(({ name }) => name).filter((name) => name !== home);
  expect(names).toEqual([`hortus-${uid}`]);
  expect(volumes.map(({ name }) => name)).toEqual(uid.startsWith('stateful') ? [`${uid}_data`] : []);
  expect(await shown(installation, uid)).toBe(greeting);
  // The ingress of a cluster names components, so that its document does not change with their tasks.
  if (installation.kind === 'cluster') return;
  const upstreams = join(installation.stateOf(), 'ingress/upstreams');
  const own = readdirSync(upstreams).filter((name) => name.startsWith(`${uid}.`));
  expect(own.map((name) => readdirSync(join(upstreams, name)).length)).toEqual([1]);
}

/** Returns the page that a visitor gets. */
export async function shown(installation: Installation, uid: string): Promise<string | undefined> {
  const load = startLoad({ port: installation.httpPort, host: `${uid}.example.org`, clients: 1 });
  await until(() => load.result.responded > 0, { describe: () => `an answer: ${load.result.failures.at(-1)}` });
  const { bodies } = await load.stop();
  return [...bodies.keys()].at(-1);
}
