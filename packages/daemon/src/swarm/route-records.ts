import { randomBytes } from 'node:crypto';
import type { Cluster, ContentFacts } from '../engine/cluster.ts';
import type { InstanceRule } from '../ingress/cluster-routes.ts';
import { label } from '../plan/labels.ts';
import { type RouteRule, wayOf } from '../plan/routes.ts';

/** Marks the records of routes. */
const ROUTES = 'hortus.routes';

/**
 * Reads the routes of all instances. Each instance has a config of the Swarm, so that every daemon of the cluster reads the
 * same routes; the journal of a daemon would be lost with its node.
 */
export async function readRoutes(cluster: Pick<Cluster, 'contents'>): Promise<InstanceRule[]> {
  const records = await cluster.contents('configs', { labels: { [ROUTES]: true } });
  return [...newest(records)].flatMap(([instanceUid, { data }]) =>
    (JSON.parse(data.toString('utf8')) as RouteRule[]).map((rule) => ({ ...rule, instanceUid })),
  );
}

/** Replaces the routes of an instance. A daemon killed in between leaves both records; the newer one counts. */
export async function writeRoutes(
  cluster: Pick<Cluster, 'contents' | 'createContent' | 'removeContent'>,
  uid: string,
  own: Readonly<Record<string, string>>,
  rules: readonly RouteRule[],
): Promise<void> {
  const former = await cluster.contents('configs', { labels: { [ROUTES]: true, [label.instance]: uid } });
  const data = Buffer.from(JSON.stringify(rules));
  const current = newest(former).get(uid);
  const isSame = current?.data.equals(data) ?? rules.length === 0;
  if (!isSame && rules.length > 0) {
    const labels = { [label.server]: own[label.server] ?? '', [label.instance]: uid, [ROUTES]: 'true' };
    await cluster.createContent('configs', { name: `hortus-routes-${randomBytes(12).toString('hex')}`, labels, data });
  }
  for (const { id } of former) if (!isSame || id !== current?.id) await cluster.removeContent('configs', id);
}

/** Finds a route of another instance with the address of a wanted one. */
export function takenIn(
  all: readonly InstanceRule[],
  uid: string,
  wanted: readonly Pick<RouteRule, 'host' | 'path'>[],
): InstanceRule | undefined {
  const ways = new Set(wanted.map(wayOf));
  return all.find((rule) => rule.instanceUid !== uid && ways.has(wayOf(rule)));
}

function newest(records: readonly ContentFacts[]): Map<string, ContentFacts> {
  const sorted = records.toSorted((a, b) => a.createdAt - b.createdAt);
  return new Map(sorted.map((record) => [record.labels[label.instance] ?? '', record]));
}
