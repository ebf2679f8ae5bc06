import { type BuiltIn, builtIn, type Settling } from '@hortus/contract/actions/built-in-actions';
import { type InstanceSort, maxSorted } from '@hortus/contract/records/instance-sorts';
import type { Deployment } from '@hortus/contract/resources/deployment-records';
import type { Instance, ReportedComponent, ReportedInstance } from '@hortus/contract/resources/instance-records';
import type { InstanceStats, ReportOutcome } from '@hortus/contract/resources/instances';
import type { Principal } from '../../identity/principal.ts';
import { conflict, invalid, notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { begin, transition } from '../../state/transition.ts';
import type { Listing, Page, PageRequest, Pages } from '../../storage/page.ts';
import { type Queries, RunAgain, type Tx } from '../../storage/storage.ts';
import type { Catalog } from '../templates/public.ts';
import type { BuiltInOrder } from './built-in-order.ts';
import { componentsText, withoutIds } from './components-text.ts';
import { type Facts, forgetHealth, take } from './facts.ts';
import { hostPortsOf } from './host-ports.ts';
import { instanceLifecycle } from './lifecycle.ts';
import { type InstanceFilter, instancesOf, type NamedRow, type Scope } from './lists/store.ts';
import { instanceRecord } from './record.ts';
import { takeReport } from './report.ts';
import { specOf } from './running-template.ts';
import { applyEnd, applyStart } from './settling.ts';
import { Statistics } from './stats.ts';
import {
  definitionOfInstance,
  findInstance,
  findLiving,
  type InstanceRow,
  lockInstance,
  lockLiving,
  lockOfServer,
  moveInstance,
  writeComponents,
} from './store.ts';

/** What a successful deployment says about its instance. */
type Deployed = Partial<Facts> & {
  readonly revision: number;
  readonly url: string | null;
  readonly components?: readonly ReportedComponent[];
};

export interface InstancesDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly catalog: Pick<Catalog, 'known'>;
  /** Orders a built-in action, or returns an equal pending one. */
  readonly order: (tx: Tx, order: BuiltInOrder) => Promise<{ readonly id: string }>;
  /** Cancels actions that have not been sent. */
  readonly withdraw: (tx: Tx, instanceId: string, slug: BuiltIn, actor: string | null) => Promise<void>;
  readonly deploymentsOf: (
    principal: Principal,
    filter: { instanceId: string },
    request: PageRequest,
  ) => Promise<Page<Deployment>>;
  readonly clock?: () => number;
}

/** A server may be offline for long; containers of an archived definition are removed when it reconnects. */
const RELEASE_WITHIN_MS = 30 * 24 * 3_600_000;

interface PublishingInstance {
  readonly id: string;
  readonly name: string;
  /** See `hostPortsOf`. */
  readonly ports: readonly string[];
}

/** Instances of one server that are examined for published ports. */
const MAX_PUBLISHING = 500;

export class Instances {
  readonly #deps: InstancesDeps;
  readonly #statistics: Statistics;
  constructor(deps: InstancesDeps) {
    this.#deps = deps;
    this.#statistics = new Statistics(deps.reader, deps.clock);
  }

  async list(filter: InstanceFilter, request: PageRequest, sort?: InstanceSort): Promise<Page<Instance>> {
    const { reader, pages } = this.#deps;
    const { page = 1, per_page = 20 } = request;
    const { rows, rowsAndCount, ...counted } = instancesOf(reader, { ...filter, sort });
    const isTooFar = sort !== undefined && (page - 1) * per_page >= maxSorted;
    const listing = isTooFar ? { ...counted, rows: async () => [] } : { ...counted, rows, rowsAndCount };
    return await pages.read(request, listing as Listing<NamedRow>, (row) => this.record(row));
  }

  /** Lists the instances of a server that publish ports of it. */
  async publishing(scope: Scope): Promise<PublishingInstance[]> {
    const { reader, pages, catalog } = this.#deps;
    const { data } = await pages.read({ page: 1, per_page: MAX_PUBLISHING }, instancesOf(reader, scope), (row) => ({
      id: row.id,
      name: row.name,
      ports: hostPortsOf(specOf(catalog, row)),
    }));
    return data.filter(({ ports }) => ports.length > 0);
  }

  stats(accountId: string, days?: number): Promise<InstanceStats> {
    return this.#statistics.read(accountId, days);
  }

  async has(accountId: string, id: string): Promise<boolean> {
    return (await findInstance(this.#deps.reader, { accountId }, id)) !== undefined;
  }

  async read(principal: Principal, id: string): Promise<Instance> {
    return this.record(await this.find(this.#deps.reader, principal, id));
  }

  async deployments(principal: Principal, id: string, request: PageRequest): Promise<Page<Deployment>> {
    const { reader, deploymentsOf } = this.#deps;
    await this.find(reader, principal, id);
    return deploymentsOf(principal, { instanceId: id }, request);
  }

  /** Finds an instance; those of other accounts and, for a daemon, of other servers are hidden. */
  async find(queries: Queries, principal: Principal, id: string): Promise<NamedRow> {
    const row = await findInstance(queries, scopeOf(principal), id);
    if (!row) throw notFound('instance');
    return row;
  }

  /** Finds the unreleased instance of a definition. */
  async findLiving(queries: Queries, principal: Principal, definitionId: string): Promise<NamedRow> {
    const row = await findLiving(queries, definitionId);
    if (!row) throw notFound('instance');
    return this.find(queries, principal, row.id);
  }

  /** Finds the definition of an instance, whose secrets it may have. */
  definitionOf(queries: Queries, id: string): Promise<string | undefined> {
    return definitionOfInstance(queries, id);
  }

  /** Finds and locks an instance. */
  async lock(tx: Tx, principal: Principal, id: string): Promise<NamedRow> {
    const found = await this.find(tx, principal, id);
    const row = await lockInstance(tx, id);
    return { ...found, ...row };
  }

  /** Locks the unreleased instance of a definition. */
  async lockLivingOf(tx: Tx, principal: Principal, definitionId: string): Promise<NamedRow> {
    const row = await lockLiving(tx, definitionId);
    if (!row) throw notFound('instance');
    return { ...(await this.find(tx, principal, row.id)), ...row };
  }

  /** Locks the unreleased instance without a principal, for automatic work. */
  async lockLivingIn(tx: Tx, accountId: string, definitionId: string): Promise<NamedRow | undefined> {
    const row = await lockLiving(tx, definitionId);
    const found = row && (await findInstance(tx, { accountId }, row.id));
    return row && found && { ...found, ...row };
  }

  findIn(queries: Queries, accountId: string, id: string): Promise<NamedRow | undefined> {
    return findInstance(queries, { accountId }, id);
  }

  record(row: NamedRow): Instance {
    return instanceRecord(row, this.#deps.catalog.known(row.template_id).item, (this.#deps.clock ?? Date.now)());
  }

  report(
    tx: Tx,
    scope: Scope & { readonly actor?: string | null },
    reported: readonly ReportedInstance[],
  ): Promise<ReportOutcome> {
    return takeReport(tx, scope, reported);
  }

  async syncComponents(
    tx: Tx,
    principal: Principal,
    id: string,
    reported: readonly ReportedComponent[],
  ): Promise<Instance> {
    const row = await this.lock(tx, principal, id);
    if (row.status === 'released') throw released();
    const names = reported.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw invalid('components', `${twice} is named twice.`);
    const components = componentsText(reported);
    if (components === row.components) return this.record(row);
    await writeComponents(tx, id, components);
    return this.record(await this.find(tx, principal, id));
  }

  /** Finds the unreleased instance of a definition or creates one. */
  async ensure(
    tx: Tx,
    of: { accountId: string; definitionId: string; serverId: string; containerName: string },
  ): Promise<InstanceRow> {
    const living = await lockLiving(tx, of.definitionId);
    if (living) return living;
    const row = {
      id: newId('instance'),
      account_id: of.accountId,
      definition_id: of.definitionId,
      server_id: of.serverId,
      container_id: null,
      container_name: of.containerName,
      revision: null,
      url: null,
      components: '[]',
      drift: '[]',
      drifted_at: null,
      heals: 0,
      starts: '[]',
      restarted_at: null,
      healed_at: null,
      started_at: null,
      last_reported_at: null,
      created_at: tx.now,
      updated_at: tx.now,
    };
    // If a concurrent request creates it first, the retried transaction finds it.
    return begin(tx, instanceLifecycle, row, 'create', null, () => new RunAgain());
  }

  /** Applies a successful deployment. An instance released meanwhile stays released. */
  async deployed(tx: Tx, instanceId: string, { revision, url, status, components, ...facts }: Deployed): Promise<void> {
    const row = await lockInstance(tx, instanceId);
    if (!row || row.status === 'released') return;
    await take(
      tx,
      row,
      { ...facts, status: status ?? 'running' },
      {
        actor: row.server_id,
        set: { revision, url, ...(components && { components: componentsText(components) }) },
      },
    );
  }

  /** Moves the instance to another server; its previous containers are no longer managed. */
  async relocate(tx: Tx, instanceId: string, serverId: string, facts: Deployed): Promise<void> {
    const row = await lockInstance(tx, instanceId);
    if (!row) return;
    await moveInstance(tx, instanceId, { server_id: serverId, components: withoutIds(row.components) });
    await this.deployed(tx, instanceId, facts);
  }

  /** Marks the running instances of an offline server as lost. */
  async lose(tx: Tx, serverId: string): Promise<void> {
    for (const row of await lockOfServer(tx, serverId, ['starting', 'running', 'restarting']))
      await forgetHealth(tx, await transition(tx, instanceLifecycle, row, 'lose', { actor: null }), null);
  }

  /**
   * Handles the return of a server. With a daemon that `reports` by itself, as hortusd does, its instances stay `lost` until
   * that report. Another daemon may never report them: they run as before the loss, with unknown health, until it says otherwise.
   */
  async regain(tx: Tx, serverId: string, { reports }: { readonly reports: boolean }): Promise<void> {
    for (const row of await lockOfServer(tx, serverId, ['lost'])) {
      const regained = reports ? row : await transition(tx, instanceLifecycle, row, 'run', { actor: null });
      await forgetHealth(tx, regained, null);
    }
  }

  /** Removes the containers of an archived definition; its volumes stay. */
  async releaseAll(tx: Tx, definitionId: string, actor: string | null): Promise<void> {
    const instance = await lockLiving(tx, definitionId);
    if (!instance) return;
    const params = { remove_volumes: false };
    const startWithinMs = RELEASE_WITHIN_MS;
    await this.#deps.order(tx, { instance, slug: builtIn.release, params, actor, startWithinMs });
  }

  /**
   * Removes everything of a definition, volumes included; returns the execution, or undefined if there is no instance.
   * For deploy tests.
   */
  async discard(tx: Tx, definitionId: string, volumes: readonly string[], actor: string | null) {
    const instance = await lockLiving(tx, definitionId);
    if (!instance) return undefined;
    const params = { remove_volumes: true, confirm: [...volumes] };
    const startWithinMs = RELEASE_WITHIN_MS;
    return this.#deps.order(tx, { instance, slug: builtIn.release, params, actor, startWithinMs });
  }

  /** Cancels the removal of containers of a reactivated definition. */
  async keepAll(tx: Tx, definitionId: string, actor: string | null): Promise<void> {
    const instance = await lockLiving(tx, definitionId);
    if (instance) await this.#deps.withdraw(tx, instance.id, builtIn.release, actor);
  }

  /** Applies the start of a built-in action. */
  began(tx: Tx, instanceId: string, slug: Settling, actor: string | null): Promise<void> {
    return applyStart(tx, instanceId, slug, actor);
  }

  /** Applies a completed built-in action. Later reports override it. */
  settled(tx: Tx, instanceId: string, slug: Settling, actor: string | null): Promise<void> {
    return applyEnd(tx, instanceId, slug, actor);
  }
}

export const scopeOf = (principal: Principal): Scope => ({
  accountId: principal.accountId,
  serverId: principal.kind === 'server' ? principal.serverId : undefined,
});

export const released = () =>
  conflict('status', 'state', 'the instance was released; deploy its definition to get a new one.', {
    status: 'released',
  });
