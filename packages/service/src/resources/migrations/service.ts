import type {
  Migration,
  MigrationAnswer,
  MigrationDetail,
  MigrationOrder,
  MigrationPlan,
} from '@hortus/contract/resources/migrations';
import { actorOf, type Principal } from '../../identity/principal.ts';
import type { JobKind } from '../../jobs/job.ts';
import { waker } from '../../jobs/wake.ts';
import { append } from '../../outbox/append.ts';
import { conflict, notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { begin } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';
import type { DefinitionRow } from '../definitions/public.ts';
import type { DeployedFacts } from '../deployments/public.ts';
import { requireTrustedServer } from '../servers/public.ts';
import { transferRecord } from '../transfers/public.ts';
import { turnBack } from './back.ts';
import { migrationJob } from './job.ts';
import { migrationLifecycle } from './lifecycle.ts';
import { hold } from './parts.ts';
import { planMigration, type Wanted } from './plan.ts';
import { lineRecord, migrationRecord } from './record.ts';
import type { MigrationResources } from './resources.ts';
import {
  findMigration,
  insertParts,
  linesOf,
  type MigrationFilter,
  migrationList,
  noteProgress,
  type PartRow,
  partOfDeployment,
  partsOf,
  setPart,
  unfinishedOfInstance,
} from './store.ts';

/** One job per migration, until its source is released. */
export const MIGRATE = 'migration.step';

const wakeMigration = waker(MIGRATE);

export interface MigrationsDeps {
  readonly storage: Storage;
  readonly pages: Pages;
  readonly resources: MigrationResources;
}

/** What is moved together. The caller has locked the definitions and the tenant, if any. */
export interface Subject {
  readonly tenantId: string | null;
  readonly serverId: string;
  readonly definitions: readonly DefinitionRow[];
}

export class Migrations {
  readonly #deps: MigrationsDeps;
  constructor(deps: MigrationsDeps) {
    this.#deps = deps;
  }

  /** Plans the migration and, unless it is a dry run, starts it. */
  async order(tx: Tx, principal: Principal, subject: Subject, order: MigrationOrder): Promise<MigrationAnswer> {
    const { resources } = this.#deps;
    const { accountId } = principal;
    const { definitions, serverId: fromServerId, tenantId } = subject;
    const { server_id: serverId, ignore_capacity } = order;
    const requireRoom: Wanted['requireRoom'] = (definition, revision) =>
      resources.capacity.require(tx, definition, serverId, revision);
    const wanted = { accountId, fromServerId, definitions, serverId };
    const plan = await planMigration(tx, resources, { ...wanted, ...(!ignore_capacity && { requireRoom }) });
    if (order.dry_run) return { plan, migration: null };
    const [first] = plan.blockers;
    await requireTrustedServer(tx, principal, order.server_id);
    if (first) throw conflict('server_id', first.reason, first.message, { blockers: plan.blockers });
    const actor = actorOf(principal);
    const row = await begin(
      tx,
      migrationLifecycle,
      {
        id: newId('migration'),
        account_id: accountId,
        tenant_id: tenantId,
        from_server_id: fromServerId,
        to_server_id: order.server_id,
        reason: null,
        error: null,
        stopped_at: null,
        downtime_ms: null,
        progress_at: tx.now,
        switched_at: null,
        release_at: null,
        created_by: actor,
        created_at: tx.now,
        updated_at: tx.now,
        finished_at: null,
      },
      'order',
      actor,
    );
    const parts: PartRow[] = [];
    for (const { id: definition_id } of definitions) {
      const instance = await resources.instances.living(tx, definition_id);
      const runs = { instance_id: instance?.id ?? null, revision: instance?.revision ?? null };
      const nothingYet = { deployment_id: null, arrival: null, clear_id: null };
      parts.push({ migration_id: row.id, definition_id, ...runs, ...nothingYet, open: 1 });
    }
    await insertParts(tx, parts);
    await append(tx, {
      type: 'audit.migration_ordered',
      accountId,
      resourceType: 'migration',
      resourceId: row.id,
      actor,
      data: migrationLifecycle.eventData(row),
    });
    await wakeMigration(tx, row.id);
    return { plan, migration: migrationRecord(row, parts) };
  }

  /** Plans without the check of the room, for those who have chosen the target by it. */
  plan(queries: Queries, wanted: Omit<Wanted, 'requireRoom'>): Promise<MigrationPlan> {
    return planMigration(queries, this.#deps.resources, wanted);
  }

  async orderDefinition(tx: Tx, principal: Principal, id: string, order: MigrationOrder): Promise<MigrationAnswer> {
    const definition = await this.#deps.resources.definitions.hold(tx, principal.accountId, id);
    if (!definition) throw notFound('definition');
    if (definition.status === 'archived')
      throw conflict('id', 'archived', 'the definition is archived; activate it first.');
    // The daemon of the other server may be too old to isolate a copy.
    if (definition.test_id !== null)
      throw conflict('id', 'temporary', 'it was made for a rehearsal or a test and stays on its server.');
    if (definition.tenant_id !== null)
      throw conflict('id', 'tenant', 'the definition belongs to a tenant; migrate the tenant instead.', {
        tenant_id: definition.tenant_id,
      });
    const subject = { tenantId: null, serverId: definition.server_id, definitions: [definition] };
    return await this.order(tx, principal, subject, order);
  }

  async list(filter: MigrationFilter, request: PageRequest): Promise<Page<Migration>> {
    const { storage, pages } = this.#deps;
    const { reader } = storage;
    const page = await pages.read(request, migrationList(reader, filter));
    const parts = await partsOf(
      reader,
      page.data.map(({ id }) => id),
    );
    return { ...page, data: page.data.map((row) => migrationRecord(row, parts)) };
  }

  async read({ accountId }: Principal, id: string): Promise<MigrationDetail> {
    const { storage, resources } = this.#deps;
    const { reader } = storage;
    const row = await findMigration(reader, accountId, id);
    if (!row) throw notFound('migration');
    return {
      ...migrationRecord(row, await partsOf(reader, [id])),
      transfers: (await resources.transfers.of(reader, id)).map(transferRecord),
      log: (await linesOf(reader, id)).map(lineRecord),
    };
  }

  /** Idempotent for migrations that are rolling back or were rolled back. */
  async cancel(tx: Tx, principal: Principal, id: string): Promise<Migration> {
    const { resources } = this.#deps;
    if (!(await findMigration(tx, principal.accountId, id))) throw notFound('migration');
    const held = await hold(tx, resources, id);
    if (!held) throw notFound('migration');
    const parts = held.parts.map(({ part }) => part);
    if (held.row.status === 'returning' || held.row.status === 'failed') return migrationRecord(held.row, parts);
    const actor = actorOf(principal);
    const turned = await turnBack(tx, resources, held, {
      reason: 'cancelled',
      error: 'The migration was cancelled.',
      actor,
    });
    await wakeMigration(tx, id);
    return migrationRecord(turned, parts);
  }

  /** Handles the end of a deployment on the target; `facts` is undefined after a failure. */
  async arrived(tx: Tx, deployment: Pick<Row<'deployments'>, 'id'>, facts: DeployedFacts | undefined): Promise<void> {
    const part = await partOfDeployment(tx, deployment.id);
    if (!part) return;
    if (facts) await setPart(tx, part, { arrival: JSON.stringify(facts) });
    await wakeMigration(tx, part.migration_id);
  }

  /** Handles the end of an action on an instance. */
  async acted(tx: Tx, instanceId: string): Promise<void> {
    for (const { id } of await unfinishedOfInstance(tx, instanceId)) await wakeMigration(tx, id);
  }

  /** Handles progress or the end of a transfer. */
  async carried(tx: Tx, id: string): Promise<void> {
    await noteProgress(tx, id);
    await wakeMigration(tx, id);
  }

  job(): JobKind {
    const { storage, resources } = this.#deps;
    return migrationJob({ storage, resources });
  }
}
