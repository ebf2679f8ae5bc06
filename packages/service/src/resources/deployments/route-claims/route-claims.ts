import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import type { ManifestRoute } from '@hortus/contract/template/manifest';
import { conflict } from '../../../problem.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import { releaseUnderWay } from '../../actions/public.ts';
import { type DefinitionRow, isArchived } from '../../definitions/public.ts';
import { livingRevision } from '../../instances/public.ts';
import { unfinishedOf } from '../store.ts';
import { claimRoute, findRouteClaim, setRouteClaim } from './store.ts';

/** An archived definition whose containers are being removed; its routes pass to the next definition after that. */
export interface Leaving {
  readonly definitionId: string;
  /** The release, once it is ordered; before, a deployment is being cancelled. */
  readonly executionId: string | null;
}

/**
 * Claims the routes of a revision: a host and path lead to one definition on a server. A claim is free once its
 * definition has no running or pending deployment with it, so claims are never returned explicitly. Returns the first holder that
 * is leaving, if there is one: its claims are not taken, so claim again once it is gone.
 */
export async function claimRoutes(
  tx: Tx,
  definition: DefinitionRow,
  revision: number,
  routes: readonly Pick<ManifestRoute, 'host' | 'path'>[],
): Promise<Leaving | undefined> {
  const own = routes.length === 0 ? [] : await revisionsInUse(tx, definition.id);
  let awaited: Leaving | undefined;
  for (const { host, path } of routes) {
    const way = { server_id: definition.server_id, ...plain(host, path) };
    const claim = await claimRoute(tx, { ...way, definition_id: definition.id, revisions: '[]' });
    const held = JSON.parse(claim.revisions) as number[];
    const isOwn = claim.definition_id === definition.id;
    const used = isOwn ? own : await revisionsInUse(tx, claim.definition_id);
    if (!isOwn && held.some((number) => used.includes(number))) {
      const leaving = await leavingOf(tx, claim.definition_id);
      if (!leaving) throw taken(way, claim.definition_id);
      awaited ??= leaving;
      continue;
    }
    const kept = isOwn ? held.filter((number) => used.includes(number)) : [];
    const revisions = JSON.stringify([...new Set([...kept, revision])]);
    await setRouteClaim(tx, { ...way, definition_id: definition.id, revisions });
  }
  return awaited;
}

/** Claims routes at once, for callers that cannot wait. */
export async function claimFreeRoutes(...args: Parameters<typeof claimRoutes>): Promise<void> {
  const leaving = await claimRoutes(...args);
  if (!leaving) return;
  throw conflict(
    'definition_id',
    'route_taken',
    `an address is used by the archived definition ${leaving.definitionId}, whose containers are being removed; try again when they are gone.`,
    { definition_id: leaving.definitionId, execution_id: leaving.executionId },
  );
}

async function leavingOf(queries: Queries, definitionId: string): Promise<Leaving | undefined> {
  if (!(await isArchived(queries, definitionId))) return undefined;
  const executionId = await releaseUnderWay(queries, definitionId);
  if (executionId !== undefined) return { definitionId, executionId };
  const cancelling = (await unfinishedOf(queries, definitionId)).some(
    ({ cancel_requested_at }) => cancel_requested_at !== null,
  );
  return cancelling ? { definitionId, executionId: null } : undefined;
}

/** Finds another definition that uses the route and is not leaving, without claiming it. */
export async function routeHolder(
  queries: Queries,
  { serverId, host, path, definitionId }: { serverId: string; host: string; path: string; definitionId: string },
): Promise<string | undefined> {
  const claim = await findRouteClaim(queries, { server_id: serverId, ...plain(host, path) });
  if (!claim || claim.definition_id === definitionId) return undefined;
  const used = await revisionsInUse(queries, claim.definition_id);
  const isUsed = (JSON.parse(claim.revisions) as number[]).some((number) => used.includes(number));
  const isHeld = isUsed && (await leavingOf(queries, claim.definition_id)) === undefined;
  return isHeld ? claim.definition_id : undefined;
}

const plain = (host: string, path: string) => ({
  host: host.toLowerCase(),
  path: withoutTrailing(path, '/') || '/',
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
    `${host}${path === '/' ? '' : path} is used by definition ${other} on this server; archive it without container=keep, or choose another address.`,
    { definition_id: other, host, path },
  );
