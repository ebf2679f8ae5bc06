import type { ManifestRoute } from '@hortus/contract/template/manifest';
import { conflict } from '../../../problem.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import type { DefinitionRow } from '../../definitions/public.ts';
import { livingRevision } from '../../instances/public.ts';
import { unfinishedOf } from '../store.ts';
import { claimRoute, findRouteClaim, setRouteClaim } from './store.ts';

/**
 * Claims the routes of a revision: a host and path lead to one definition on a server. A claim is free once its
 * definition has no running or pending deployment with it, so claims are never returned explicitly.
 */
export async function claimRoutes(
  tx: Tx,
  definition: DefinitionRow,
  revision: number,
  routes: readonly Pick<ManifestRoute, 'host' | 'path'>[],
): Promise<void> {
  const own = routes.length === 0 ? [] : await revisionsInUse(tx, definition.id);
  for (const { host, path } of routes) {
    const way = { server_id: definition.server_id, ...plain(host, path) };
    const claim = await claimRoute(tx, { ...way, definition_id: definition.id, revisions: '[]' });
    const held = JSON.parse(claim.revisions) as number[];
    const isOwn = claim.definition_id === definition.id;
    const used = isOwn ? own : await revisionsInUse(tx, claim.definition_id);
    if (!isOwn && held.some((one) => used.includes(one))) throw taken(way, claim.definition_id);
    const kept = isOwn ? held.filter((one) => used.includes(one)) : [];
    const revisions = JSON.stringify([...new Set([...kept, revision])]);
    await setRouteClaim(tx, { ...way, definition_id: definition.id, revisions });
  }
}

/** Finds another definition that uses the route now, without claiming it. */
export async function routeHolder(
  queries: Queries,
  { serverId, host, path, definitionId }: { serverId: string; host: string; path: string; definitionId: string },
): Promise<string | undefined> {
  const claim = await findRouteClaim(queries, { server_id: serverId, ...plain(host, path) });
  if (!claim || claim.definition_id === definitionId) return undefined;
  const used = await revisionsInUse(queries, claim.definition_id);
  const isUsed = (JSON.parse(claim.revisions) as number[]).some((one) => used.includes(one));
  return isUsed ? claim.definition_id : undefined;
}

const plain = (host: string, path: string) => ({
  host: host.toLowerCase(),
  path: path.replace(/\/+$/, '') || '/',
});

/** Revisions that run or are pending. */
async function revisionsInUse(tx: Queries, definitionId: string): Promise<number[]> {
  const [queue, living] = await Promise.all([unfinishedOf(tx, definitionId), livingRevision(tx, definitionId)]);
  return [...queue.map(({ revision }) => revision), ...(living === null ? [] : [living])];
}

const taken = ({ host, path }: { host: string; path: string }, other: string) =>
  conflict(
    'definition_id',
    'route_taken',
    `${host}${path === '/' ? '' : path} is used by definition ${other} on this server; choose another address.`,
    { definition_id: other, host, path },
  );
