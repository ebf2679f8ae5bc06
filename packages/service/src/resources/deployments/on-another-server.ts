import type { ManifestRoute } from '@hortus/contract/template/manifest';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Pinned } from '../definitions/deployable.ts';
import { beginDeployment } from './begin.ts';
import { cancelHeld, hasEnded, type Wake } from './queue.ts';
import { claimRoutes, isRouteTaken } from './route-claims.ts';
import {
  type DeploymentRow,
  deploymentById,
  dropRouteClaims,
  lastSuccess,
  lockDeployment,
  unfinishedOf,
} from './store.ts';

/** What deployments are to migrations: one on a server that is not that of the definition yet. The caller holds the definition. */
export class DeploymentsElsewhere {
  readonly #wake: Wake;
  constructor(wake: Wake) {
    this.#wake = wake;
  }

  /** The very revision that runs, with the very bytes. */
  async begin(
    tx: Tx,
    { definition, revision }: Pinned,
    serverId: string,
    routes: readonly ManifestRoute[],
    actor: string | null,
  ): Promise<DeploymentRow> {
    const there = { ...definition, server_id: serverId };
    await claimRoutes(tx, there, revision.number, routes);
    const last = await lastSuccess(tx, definition.id);
    const images = last?.revision === revision.number ? last.images : '[]';
    const row = await beginDeployment(
      tx,
      { definition: there, revision },
      { rollbackOf: null, migration: true, images, actor },
    );
    this.#wake(tx, serverId);
    return row;
  }

  async cancel(tx: Tx, id: string, actor: string | null): Promise<DeploymentRow | undefined> {
    const row = await lockDeployment(tx, id);
    return row && !hasEnded(row) ? await cancelHeld(tx, this.#wake, row, actor) : row;
  }

  find(queries: Queries, id: string): Promise<DeploymentRow | undefined> {
    return deploymentById(queries, id);
  }

  /** Whether something is under way or waits. */
  async busy(queries: Queries, definitionId: string): Promise<boolean> {
    return (await unfinishedOf(queries, definitionId)).length > 0;
  }

  /** The other definition that has one of these addresses on a server, if there is one. */
  async clash(
    queries: Queries,
    definitionId: string,
    serverId: string,
    routes: readonly ManifestRoute[],
  ): Promise<{ readonly host: string; readonly definitionId: string } | undefined> {
    for (const { host, path } of routes) {
      const other = await isRouteTaken(queries, { serverId, host, path, definitionId });
      if (other !== undefined) return { host, definitionId: other };
    }
    return undefined;
  }

  /** The addresses of a server that it has left are free. */
  async leave(tx: Tx, definitionId: string, serverId: string): Promise<void> {
    await dropRouteClaims(tx, definitionId, serverId);
  }
}

export { hasEnded as hasDeploymentEnded };
