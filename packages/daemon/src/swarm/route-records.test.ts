import { expect, it } from 'vitest';
import type { Cluster, ContentFacts } from '../engine/cluster.ts';
import { label } from '../plan/labels.ts';
import type { RouteRule } from '../plan/routes.ts';
import { readRoutes, writeRoutes } from './route-records.ts';

const rule = (host: string): RouteRule => ({
  ...{ name: 'web', component: 'main', port: 80, host },
  ...{ path: '/', strip: false, tls: 'off' },
});

/** The configs of a Swarm in memory. */
function store() {
  let made = 0;
  const kept = new Map<string, ContentFacts>();
  const cluster: Pick<Cluster, 'contents' | 'createContent' | 'removeContent'> = {
    contents: async (_, { labels }) =>
      [...kept.values()].filter((content) =>
        Object.entries(labels).every(([key, value]) =>
          value === true ? key in content.labels : content.labels[key] === value,
        ),
      ),
    createContent: async (_, { name, labels, data }) => {
      const id = `id${++made}`;
      kept.set(id, { id, name, labels, data, createdAt: made });
      return id;
    },
    removeContent: async (_, id) => kept.delete(id),
  };
  return { cluster, kept };
}

const own = { [label.server]: 'srv' };

it('routes of an instance are replaced and removed without touching those of others', async () => {
  const { cluster, kept } = store();
  await writeRoutes(cluster, 'a', own, [rule('a.test')]);
  await writeRoutes(cluster, 'b', own, [rule('b.test')]);
  await writeRoutes(cluster, 'a', own, [rule('new.test'), rule('more.test')]);
  const hosts = async () => (await readRoutes(cluster)).map(({ instanceUid, host }) => `${instanceUid} ${host}`).sort();
  expect(await hosts()).toEqual(['a more.test', 'a new.test', 'b b.test']);
  const before = [...kept.keys()];
  await writeRoutes(cluster, 'a', own, [rule('new.test'), rule('more.test')]);
  expect([...kept.keys()]).toEqual(before);
  await writeRoutes(cluster, 'a', own, []);
  expect(await hosts()).toEqual(['b b.test']);
  expect(kept.size).toBe(1);
});

it('after a daemon was killed between two records, the newer one counts and the next change removes both', async () => {
  const { cluster, kept } = store();
  await writeRoutes(cluster, 'a', own, [rule('old.test')]);
  await writeRoutes({ ...cluster, removeContent: async () => false }, 'a', own, [rule('new.test')]);
  expect(kept.size).toBe(2);
  expect((await readRoutes(cluster)).map(({ host }) => host)).toEqual(['new.test']);
  await writeRoutes(cluster, 'a', own, [rule('new.test')]);
  expect(kept.size).toBe(1);
  expect((await readRoutes(cluster)).map(({ host }) => host)).toEqual(['new.test']);
});
