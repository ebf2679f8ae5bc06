import { createHash } from 'node:crypto';
import type { DeployedImage } from '@hortus/contract/resources/deployment-records';
import type { DeploymentPlan, DeploymentPreview, PlannedVolume } from '@hortus/contract/resources/plan-records';
import type { Manifest } from '@hortus/contract/template/manifest';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';
import { parseImage } from '@hortus/template/notation/image-reference';
import { clusterWarnings, type LosableNode } from '@hortus/template/rollout/node-loss';
import { predict, type Resolved } from '@hortus/template/rollout/predict';
import type { Principal } from '../../identity/principal.ts';
import { conflict, notFound } from '../../problem.ts';
import type { Queries } from '../../storage/storage.ts';
import {
  type DefinitionRow,
  findDefinition,
  noServer,
  type Order,
  requireFreeUid,
  revisionOf,
} from '../definitions/public.ts';
import { type InstanceRow as DriftedRow, findLiving } from '../instances/public.ts';
import { withPins } from '../manifest/public.ts';
import type { ReadServerState } from './needs.ts';
import { lastOrdered, lastSuccess } from './store.ts';

export interface PlanningDeps {
  readonly reader: Queries;
  readonly server: ReadServerState;
  readonly manifests: {
    /** Secrets changed after `secretsBefore` are replaced by placeholders. */
    resolve(
      queries: Queries,
      accountId: string,
      definitionId: string,
      revision: number,
      secretsBefore?: number,
    ): Promise<Resolved>;
    resolveOrder(queries: Queries, accountId: string, order: Order): Promise<Resolved>;
  };
  /** Nodes of a cluster as last reported; none for a plain server. */
  readonly nodes: (queries: Queries, serverId: string) => Promise<LosableNode[]>;
}

/** Statuses in which the containers are presumed to serve. */
const up: readonly DriftedRow['status'][] = ['starting', 'running', 'restarting', 'lost'];

/** Predicts what a deployment would do, from the last reports of the daemon, without doing it. */
export class Planning {
  readonly #deps: PlanningDeps;
  constructor(deps: PlanningDeps) {
    this.#deps = deps;
  }

  async plan({ accountId }: Principal, id: string): Promise<DeploymentPlan> {
    const definition = await findDefinition(this.#deps.reader, accountId, id);
    if (!definition) throw notFound('definition');
    if (definition.status === 'archived')
      throw conflict('id', 'archived', 'the definition is archived; activate it first.');
    return this.#planOf(this.#deps.reader, definition);
  }

  /** Predicts the first deployment of a definition that does not exist yet; refuses what its creation would refuse. */
  async preview({ accountId }: Principal, order: Order): Promise<DeploymentPreview> {
    const { reader, server, manifests, nodes } = this.#deps;
    const serverState = await server(reader, accountId, order.serverId);
    if (!serverState) throw noServer('there is no such server.');
    await requireFreeUid(reader, accountId, order);
    const resolved = await manifests.resolveOrder(reader, accountId, order);
    const prediction = predict(resolved, { former: undefined, drift: [], up: false });
    const { components, jobs, routes, permissions, pulls } = prediction;
    return {
      ...{ server_id: order.serverId, spec_hash: order.template.item.spec_hash },
      ...{ components, jobs, routes, permissions, pulls },
      volumes: volumesOf(resolved.manifest),
      memory_bytes: memoryOf(resolved.manifest),
      placement: order.placed?.placement ?? null,
      warnings: [
        ...serverWarnings(serverState),
        ...clusterWarnings(resolved.manifest, await nodes(reader, order.serverId)),
      ],
    };
  }

  /** Refuses an order made for another plan than the current one. The caller has locked the definition. */
  async requireFit(queries: Queries, definition: DefinitionRow, order: Ordered): Promise<void> {
    const { spec_hash, plan_hash } = order;
    if (spec_hash !== undefined) {
      const revision = await revisionOf(queries, definition.id, definition.current_revision);
      if (revision.spec_hash !== spec_hash)
        throw stale('spec_hash', 'the definition now uses another version of its template; plan it again.', {
          spec_hash: revision.spec_hash,
        });
    }
    if (plan_hash === undefined) return;
    const plan = await this.#planOf(queries, definition);
    if (plan.plan_hash !== plan_hash)
      throw stale('plan_hash', 'the plan has changed; plan the deployment again.', {
        plan_hash: plan.plan_hash,
      });
  }

  async #planOf(queries: Queries, definition: DefinitionRow): Promise<DeploymentPlan> {
    const { manifests } = this.#deps;
    const { id, account_id, server_id, current_revision } = definition;
    const [revision, instance] = await Promise.all([
      revisionOf(queries, id, current_revision),
      findLiving(queries, id),
    ]);
    const next = await manifests.resolve(queries, account_id, id, current_revision);
    const former = instance && (await this.#former(queries, definition, instance));
    const prediction = predict(next, {
      former,
      drift: former && instance ? JSON.parse(instance.drift) : [],
      up: instance !== undefined && up.includes(instance.status),
    });
    const changed = prediction.components.filter(({ change }) => change !== 'unchanged');
    const content = {
      definition_id: id,
      server_id,
      instance_id: instance?.id ?? null,
      revision: current_revision,
      deployed_revision: instance?.revision ?? null,
      spec_hash: revision.spec_hash,
      nothing_to_do:
        changed.length === 0 &&
        prediction.components.every(({ changes }) => changes.length === 0) &&
        prediction.routes.every(({ change }) => change === 'unchanged'),
      ...prediction,
    };
    // Excluded from the hash: whether the server is connected does not change the plan.
    const warnings = await this.#warnings(queries, definition, instance, next.manifest);
    return { ...content, plan_hash: hashOf(content), warnings };
  }

  /** Resolves what was last deployed. Secrets changed since then get placeholders, so that they show as changed. */
  async #former(queries: Queries, definition: DefinitionRow, { revision }: DriftedRow): Promise<Resolved | undefined> {
    if (revision === null) return undefined;
    const { id, account_id } = definition;
    const [ordered, last] = await Promise.all([lastOrdered(queries, id), lastSuccess(queries, id)]);
    const resolved = await this.#deps.manifests.resolve(
      queries,
      account_id,
      id,
      revision,
      ordered?.started_at ?? undefined,
    );
    // After a rollback the instance may run pinned digests; a deployment returns to the template's tags.
    const images: DeployedImage[] = last ? JSON.parse(last.images) : [];
    const named = images.filter(({ image }) => parseImage(image).digest !== undefined);
    return { ...resolved, manifest: withPins(resolved.manifest, named) };
  }

  async #warnings(
    queries: Queries,
    definition: DefinitionRow,
    instance: DriftedRow | undefined,
    manifest: Manifest,
  ): Promise<string[]> {
    const serverState = await this.#deps.server(queries, definition.account_id, definition.server_id);
    return [
      ...serverWarnings(serverState),
      ...(instance?.status === 'stopped' ? ['The instance is stopped; a deployment starts it.'] : []),
      ...clusterWarnings(manifest, await this.#deps.nodes(queries, definition.server_id)),
    ];
  }
}

const serverWarnings = (serverState: Awaited<ReturnType<ReadServerState>>): string[] => [
  ...(serverState?.connected ? [] : ['The server is not connected; the deployment waits for it.']),
  ...(serverState?.status === 'draining' || serverState?.status === 'disabled'
    ? [`The server is ${serverState.status} and takes no new work.`]
    : []),
];

/** Returns each volume once, with the components that mount it. */
function volumesOf({ components }: Manifest): PlannedVolume[] {
  const mounts = components.flatMap(({ name: component, storage }) =>
    storage.flatMap(({ name, volume, critical }) => (volume === undefined ? [] : [{ name, component, critical }])),
  );
  return [...Map.groupBy(mounts, ({ name }) => name)].map(([name, of]) => ({
    name,
    components: of.map(({ component }) => component),
    critical: of.some(({ critical }) => critical),
  }));
}

const memoryOf = ({ components }: Manifest): number =>
  components
    .filter(({ kind }) => kind === 'service')
    .reduce((sum, { resources, replicas }) => sum + (resources.memory_bytes ?? 0) * replicas, 0);

export interface Ordered {
  readonly spec_hash?: string | undefined;
  readonly plan_hash?: string | undefined;
}

const stale = (field: string, message: string, details: object) => conflict(field, 'stale', message, { ...details });

const hashOf = (content: object): string =>
  `sha256:${createHash('sha256').update(canonicalJson(content)).digest('hex')}`;
