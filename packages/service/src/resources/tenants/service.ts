import type { MoveOf } from '@hortus/contract/machines/machine';
import type { MigrationAnswer, MigrationOrder } from '@hortus/contract/resources/migrations';
import type { Tenant, TenantCreate } from '@hortus/contract/resources/tenants';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { conflict, invalid, notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { slugify } from '../../records/slug.ts';
import { begin, transition } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';
import { tenantLifecycle } from './lifecycle.ts';
import { tenantRecord } from './record.ts';
import {
  findTenant,
  forgetInstances,
  lockTenant,
  rememberInstance,
  type TenantFilter,
  type TenantRow,
  tenantById,
  tenantList,
} from './store.ts';

type Actor = string | null;

export interface TenantsDeps {
  readonly reader: Queries;
  /** Migrates a tenant that the caller has locked to another server. */
  readonly migrate: (
    tx: Tx,
    principal: Principal,
    subject: { tenantId: string; serverId: string; definitions: readonly Row<'definitions'>[] },
    order: MigrationOrder,
  ) => Promise<MigrationAnswer>;
  readonly pages: Pages;
  readonly hasServer: (tx: Tx, accountId: string, id: string) => Promise<boolean>;
  readonly definitions: {
    /** Locks the unarchived definitions of the tenant, by id. */
    hold(tx: Tx, tenantId: string): Promise<readonly Row<'definitions'>[]>;
    /** `together` are the definitions that are archived at the same time. */
    archive(tx: Tx, principal: Principal, id: string, together: ReadonlySet<string>): Promise<unknown>;
    /** Cancels its deployments. True if one continues because it restores data and must finish. */
    suspendDeployments(tx: Tx, id: string, actor: Actor): Promise<boolean>;
    count(queries: Queries, tenantIds: readonly string[]): Promise<ReadonlyMap<string | null, number>>;
  };
  readonly instances: {
    /** Stops the running or pending instance of a definition. Returns the instance, if any. */
    pause(tx: Tx, definitionId: string, actor: Actor, soon?: boolean): Promise<string | undefined>;
    /** Starts the instance again if it is one of `among` and still exists. */
    unpause(tx: Tx, definitionId: string, among: ReadonlySet<string>, actor: Actor): Promise<void>;
    membership(
      queries: Queries,
      instanceId: string,
    ): Promise<{ readonly definition_id: string; readonly tenant_id: string | null } | undefined>;
    count(
      queries: Queries,
      tenantIds: readonly string[],
    ): Promise<ReadonlyMap<string | null, { readonly living: number; readonly running: number }>>;
  };
}

/**
 * Suspend, resume and delete lock the definitions first and the tenant second, in the order in which a deployment locks
 * them. A definition that joins in between has nothing deployed, and cannot deploy until the tenant is unlocked.
 */
export class Tenants {
  readonly #deps: TenantsDeps;
  constructor(deps: TenantsDeps) {
    this.#deps = deps;
  }

  async list(filter: TenantFilter, request: PageRequest): Promise<Page<Tenant>> {
    const { reader, pages } = this.#deps;
    const page = await pages.read(request, tenantList(reader, filter));
    return { ...page, data: await this.#records(reader, page.data) };
  }

  async read(principal: Principal, id: string): Promise<Tenant> {
    const { reader } = this.#deps;
    const row = await findTenant(reader, principal.accountId, id);
    if (!row) throw notFound('tenant');
    return this.#record(reader, row);
  }

  async create(tx: Tx, principal: Principal, body: TenantCreate): Promise<Tenant> {
    const { accountId } = principal;
    const slug = body.slug ?? slugify(body.name);
    if (slug === '') throw invalid('name', 'must contain a letter or a digit, or give a slug.');
    if (!(await this.#deps.hasServer(tx, accountId, body.server_id)))
      throw invalid('server_id', 'there is no such server.', { reason: 'unknown' });
    const row = {
      id: newId('tenant'),
      account_id: accountId,
      name: body.name,
      slug,
      server_id: body.server_id,
      suspended_at: null,
      created_at: tx.now,
      updated_at: tx.now,
    };
    // Names the field that the caller has sent: a derived slug means nothing to it.
    const taken = () =>
      body.slug === undefined
        ? conflict(
            'name',
            'taken',
            `another tenant is called ${body.name}, or so alike that both get the slug ${slug}; choose another name, or give a slug.`,
          )
        : conflict('slug', 'taken', `${slug} is the slug of another tenant.`);
    const born = await begin(tx, tenantLifecycle, row, 'create', actorOf(principal), taken);
    await audit(tx, actorOf(principal), 'audit.tenant_created', born);
    return this.#record(tx, born);
  }

  /** Repeating it stops instances that were started since. */
  async suspend(tx: Tx, principal: Principal, id: string): Promise<Tenant> {
    const { definitions, instances } = this.#deps;
    const actor = actorOf(principal);
    const { row, held } = await this.#hold(tx, principal, id);
    const suspended = await this.#move(tx, row, 'suspend', actor, { suspended_at: row.suspended_at ?? tx.now });
    for (const definition of held) {
      const goesOn = await definitions.suspendDeployments(tx, definition.id, actor);
      const ran = await instances.pause(tx, definition.id, actor, goesOn);
      if (ran !== undefined) await rememberInstance(tx, id, ran);
    }
    return this.#record(tx, suspended);
  }

  async resume(tx: Tx, principal: Principal, id: string): Promise<Tenant> {
    const actor = actorOf(principal);
    const { row, held } = await this.#hold(tx, principal, id);
    const resumed = await this.#move(tx, row, 'resume', actor, { suspended_at: null });
    const ran = new Set(await forgetInstances(tx, id));
    for (const definition of held) await this.#deps.instances.unpause(tx, definition.id, ran, actor);
    return this.#record(tx, resumed);
  }

  /** Does not start what was stopped; `resume` does. */
  async activate(tx: Tx, principal: Principal, id: string): Promise<Tenant> {
    const row = await this.#lock(tx, principal, id);
    const active = await this.#move(tx, row, 'activate', actorOf(principal), { suspended_at: null });
    await forgetInstances(tx, id);
    return this.#record(tx, active);
  }

  async remove(tx: Tx, principal: Principal, id: string, force: boolean): Promise<Tenant> {
    const { definitions } = this.#deps;
    const { row, held } = await this.#hold(tx, principal, id);
    if (row.status === 'deleted') return this.#record(tx, row);
    if (held.length > 0 && !force)
      throw conflict('id', 'in_use', `${held.length} definitions belong to this tenant; archive them or use force.`, {
        definitions: held.length,
      });
    const deleted = await this.#move(tx, row, 'delete', actorOf(principal), { suspended_at: null });
    await forgetInstances(tx, id);
    const together = new Set(held.map((definition) => definition.id));
    for (const definition of held) await definitions.archive(tx, principal, definition.id, together);
    return this.#record(tx, deleted);
  }

  async migrate(tx: Tx, principal: Principal, id: string, order: MigrationOrder): Promise<MigrationAnswer> {
    const { row, held } = await this.#hold(tx, principal, id);
    const subject = { tenantId: id, serverId: row.server_id, definitions: held };
    const response = await this.#deps.migrate(tx, principal, subject, order);
    if (!order.dry_run) await this.#move(tx, row, 'migrate', actorOf(principal), {});
    return response;
  }

  /** Ends a migration: the tenant is on the target, or still on the source. */
  async settle(tx: Tx, accountId: string, id: string, serverId: string | undefined, actor: Actor): Promise<void> {
    const row = await lockTenant(tx, accountId, id);
    if (row?.status !== 'migrating') return;
    await this.#move(tx, row, 'settle', actor, serverId === undefined ? {} : { server_id: serverId });
  }

  /**
   * Handles a successful deployment of a definition that the caller has locked; it may have finished too late to be
   * cancelled.
   */
  async deployed(tx: Tx, instanceId: string): Promise<void> {
    const of = await this.#deps.instances.membership(tx, instanceId);
    if (!of || of.tenant_id === null) return;
    const { definition_id: definitionId, tenant_id: tenantId } = of;
    const seen = await tenantById(tx, tenantId);
    if (seen?.status !== 'pending' && seen?.status !== 'suspended') return;
    const row = await lockTenant(tx, seen.account_id, tenantId);
    if (row?.status === 'pending') await this.#move(tx, row, 'activate', null, {});
    if (row?.status !== 'suspended') return;
    const ran = await this.#deps.instances.pause(tx, definitionId, null);
    if (ran !== undefined) await rememberInstance(tx, tenantId, ran);
  }

  async #hold(tx: Tx, principal: Principal, id: string) {
    const { hold } = this.#deps.definitions;
    // Check the tenant first, so that definitions of another account are never locked.
    if (!(await findTenant(tx, principal.accountId, id))) throw notFound('tenant');
    await hold(tx, id);
    const row = await this.#lock(tx, principal, id);
    // Lock again: a definition may have joined while waiting for the tenant.
    return { row, held: await hold(tx, id) };
  }

  async #lock(tx: Tx, principal: Principal, id: string): Promise<TenantRow> {
    const row = await lockTenant(tx, principal.accountId, id);
    if (!row) throw notFound('tenant');
    return row;
  }

  async #move(
    tx: Tx,
    row: TenantRow,
    move: Exclude<MoveOf<typeof tenantLifecycle.machine>, 'create'>,
    actor: Actor,
    set: Partial<Pick<TenantRow, 'suspended_at' | 'server_id'>>,
  ): Promise<TenantRow> {
    const changed = await transition(tx, tenantLifecycle, row, move, { actor, set });
    if (changed.status !== row.status) await audit(tx, actor, `audit.tenant_${changed.status}`, changed);
    return changed;
  }

  async #record(queries: Queries, row: TenantRow): Promise<Tenant> {
    return (await this.#records(queries, [row]))[0] as Tenant;
  }

  async #records(queries: Queries, rows: readonly TenantRow[]): Promise<Tenant[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const definitions = await this.#deps.definitions.count(queries, ids);
    const instances = await this.#deps.instances.count(queries, ids);
    return rows.map((row) => tenantRecord(row, { definitions: definitions.get(row.id), ...instances.get(row.id) }));
  }
}

const audit = (tx: Tx, actor: Actor, type: `audit.${string}`, row: TenantRow) =>
  append(tx, {
    type,
    accountId: row.account_id,
    resourceType: 'tenant',
    resourceId: row.id,
    actor,
    data: tenantLifecycle.eventData(row),
  });
