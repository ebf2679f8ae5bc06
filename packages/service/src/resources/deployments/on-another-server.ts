import type { ManifestRoute } from '@hortus/contract/template/manifest';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Pinned } from '../definitions/public.ts';
import { beginDeployment } from './begin.ts';
import { cancelHeld, hasEnded, type Wake } from './queue.ts';
import { claimFreeRoutes, routeHolder } from './route-claims/route-claims.ts';
import { dropRouteClaims } from './route-claims/store.ts';
import { type DeploymentRow, deploymentById, lastSuccess, lockDeployment, unfinishedOf } from './store.ts';

/** Deploys a definition on a server that it is being migrated to. The caller has locked the definition. */
export class DeploymentsElsewhere {
  readonly #wake: Wake;
  constructor(wake: Wake) {
    this.#wake = wake;
  }

  /** Deploys the running revision with the same image digests. */
  async begin(
    tx: Tx,
    { definition, revision }: Pinned,
    serverId: string,
    routes: readonly ManifestRoute[],
    actor: string | null,
  ): Promise<DeploymentRow> {
    const there = { ...definition, server_id: serverId };
    await claimFreeRoutes(tx, there, revision.number, routes);
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

  /** Whether a deployment is pending or running. */
  async busy(queries: Queries, definitionId: string): Promise<boolean> {
    return (await unfinishedOf(queries, definitionId)).length > 0;
  }

  /** Finds another definition that uses one of these routes on the server. */
  async clash(
    queries: Queries,
    definitionId: string,
    serverId: string,
    routes: readonly ManifestRoute[],
  ): Promise<{ readonly host: string; readonly definitionId: string } | undefined> {
    for (const { host, path } of routes) {
      const other = await routeHolder(queries, { serverId, host, path, definitionId });
      if (other !== undefined) return { host, definitionId: other };
    }
    return undefined;
  }

  /** Releases the routes on the server that the definition has left. */
  async leave(tx: Tx, definitionId: string, serverId: string): Promise<void> {
    await dropRouteClaims(tx, definitionId, serverId);
  }
}
