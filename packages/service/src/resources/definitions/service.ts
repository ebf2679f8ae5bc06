import type { MoveOf } from '@hortus/contract/machines/machine';
import type { Provider } from '@hortus/contract/resources/connections';
import type { Definition, Revision, Secret } from '@hortus/contract/resources/definition-records';
import type { DefinitionCreate, DefinitionUpdate } from '@hortus/contract/resources/definitions';
import { AUTO_SERVER, type CreatedDefinition } from '@hortus/contract/resources/placement-records';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { conflict, invalid, notFound } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import { countKey } from '../../storage/lists.ts';
import { mapInTurns, type Page, type PageRequest, type Pages, slice } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import { openSavedConfig } from '../saved-configs/public.ts';
import { type Placements, requireTrustedServer } from '../servers/public.ts';
import type { Catalog, CatalogTemplate } from '../templates/public.ts';
import { tenantExists } from '../tenants/public.ts';
import { type Bindings, bindingsOf, holdBound, readBindings } from './bindings.ts';
import { type CreationDeps, createDefinition, noServer } from './create.ts';
import { requireSecrets } from './deployable.ts';
import { definitionLifecycle } from './lifecycle.ts';
import { type Order, readOrder } from './order.ts';
import { chooseAgain, type PlacingDeps, placeOrder } from './placing.ts';
import { listProviders, requireUnbound } from './providers/providers.ts';
import { backupSettings, definitionRecord, revisionRecord, secretRecord } from './record.ts';
import { readRevision, revisionColumns } from './revise.ts';
import { storeUserSecrets } from './secrets.ts';
import {
  type CurrentRow,
  type DefinitionFilter,
  type DefinitionRow,
  definitionsOf,
  findDefinition,
  findRevision,
  findUnarchived,
  insertRevision,
  listRevisions,
  listSecrets,
  lockDefinition,
  lockOfServer,
  removeSecret,
} from './store.ts';

export interface DefinitionsDeps extends CreationDeps, Pick<PlacingDeps, 'resolveOrder'> {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly catalog: Catalog;
  readonly work: Work;
  readonly placements: Placements;
  /** Throws while the definition is being migrated; `field` is named in the error. */
  readonly requireSettled: (tx: Tx, definitionId: string, field?: string) => Promise<void>;
  /** Throws while a deployment restores data. */
  readonly requireFittingData: (tx: Tx, definitionId: string) => Promise<void>;
  /** Cancels pending deployments and, if asked, running ones. */
  readonly stopDeployments: (
    tx: Tx,
    definitionId: string,
    actor: string | null,
    which: { runningToo: boolean },
  ) => Promise<void>;
  /** Removes its containers, if any; volumes stay. */
  readonly releaseAll: (tx: Tx, definitionId: string, actor: string | null) => Promise<void>;
  /** Heals its running instance, if that has drifted. */
  readonly healLiving: (tx: Tx, definitionId: string) => Promise<void>;
  /** Cancels a removal of containers that has not started. */
  readonly keepAll: (tx: Tx, definitionId: string, actor: string | null) => Promise<void>;
}

export class Definitions {
  readonly #deps: DefinitionsDeps;
  constructor(deps: DefinitionsDeps) {
    this.#deps = deps;
  }

  async list(filter: DefinitionFilter, request: PageRequest): Promise<Page<Definition>> {
    const { reader, pages } = this.#deps;
    return await pages.read(request, definitionsOf(reader, filter), (row) => this.#record(row));
  }

  async read(principal: Principal, id: string): Promise<Definition> {
    return this.#record(await this.#find(this.#deps.reader, principal, id));
  }

  /** Validates everything possible before a transaction begins. */
  async order(principal: Principal, body: DefinitionCreate): Promise<Order> {
    const { catalog, reader, vault } = this.#deps;
    const { accountId } = principal;
    const config = body.saved_config_id && (await openSavedConfig(reader, vault, accountId, body.saved_config_id));
    const isPlaced = body.server_id === AUTO_SERVER;
    if (body.placement !== undefined && !isPlaced)
      throw invalid('placement', 'is only for server_id auto; leave it out, or let the service choose the server.');
    // Otherwise a password saved by another user could be read on a server under the caller's control.
    if (config && config.secrets.length > 0 && body.server_id !== undefined && !isPlaced)
      await requireTrustedServer(reader, principal, body.server_id);
    // Another replica may have published it a moment ago.
    const { template_id: id, species = config ? config.species : undefined } = body;
    if (id !== undefined && catalog.visibleById(id, accountId)?.item.status !== 'published') await catalog.load();
    else if (species !== undefined && !catalog.newestOf(species, accountId)) await catalog.load();
    return (isPlaced ? placeOrder : readOrder)(this.#deps, principal, body, config || undefined);
  }

  /** Reads the order and creates the definition; chooses the server again if other requests took its room meanwhile. */
  createPlaced<T>(
    principal: Principal,
    body: DefinitionCreate,
    write: (work: (tx: Tx) => Promise<CreatedDefinition>) => Promise<T>,
  ): Promise<T> {
    return chooseAgain(async () => {
      const order = await this.order(principal, body).catch((error: unknown) => {
        if (body.server_id !== AUTO_SERVER) throw error;
        // The first of two equal requests may have taken the last room, and the second gets its answer.
        return () => Promise.reject(error);
      });
      if (typeof order === 'function') return write(order);
      return write(async (tx) => ({
        ...(await this.create(tx, principal, order)),
        ...(order.placed && { placement: order.placed.placement }),
      }));
    });
  }

  create(tx: Tx, principal: Principal, order: Order): Promise<Definition> {
    return createDefinition(tx, this.#deps, principal, order);
  }

  /** `expect` throws if the caller does not know the current revision (If-Match). */
  async update(
    tx: Tx,
    principal: Principal,
    id: string,
    body: DefinitionUpdate,
    expect: (currentRevision: number) => void = () => {},
  ): Promise<Definition> {
    const before = await this.#lock(tx, principal, id);
    expect(before.current_revision);
    const template = this.#template(before.template_id);
    const bindings = await this.#bindings(tx, principal, before, body);
    const next = await readRevision(tx, this.#deps.work, template, before, body, bindings);
    const number = before.last_revision + 1;
    const settings = { ...backupSettings(before), ...body.backup };
    const changed = await transition(tx, definitionLifecycle, before, 'revise', {
      actor: actorOf(principal),
      set: {
        name: body.name ?? before.name,
        watch_seconds: body.watch_seconds ?? before.watch_seconds,
        ...(body.backup ? { backup: JSON.stringify(settings) } : {}),
        heal: body.heal === undefined ? before.heal : body.heal ? 1 : 0,
        current_revision: number,
        last_revision: number,
      },
    });
    const changed_secrets = JSON.stringify(Object.keys(next.secret));
    await insertRevision(tx, { ...next.revision, changed_secrets, ...revisionColumns(tx, principal, changed) });
    await storeUserSecrets(
      tx,
      this.#deps.vault,
      { accountId: before.account_id, definitionId: id },
      template.spec,
      next.secret,
    );
    for (const name of next.removedSecrets) await removeSecret(tx, id, name);
    const plan = { definitionId: id, accountId: before.account_id, spec: template.spec, settings };
    if (body.backup) await this.#deps.planBackups(tx, plan);
    if (body.heal && !before.heal) await this.#deps.healLiving(tx, id);
    return definitionRecord({ ...changed, ...next.revision }, template);
  }

  async restore(tx: Tx, principal: Principal, id: string, number: number): Promise<Definition> {
    const before = await this.#lock(tx, principal, id);
    const revision = await findRevision(tx, id, number);
    if (!revision) throw notFound('revision');
    await requireSecrets(tx, revision, 'number');
    await holdBound(tx, principal.accountId, bindingsOf(revision));
    await transition(tx, definitionLifecycle, before, 'revise', {
      actor: actorOf(principal),
      set: { current_revision: number, template_id: revision.template_id },
    });
    return this.#record(await this.#find(tx, principal, id));
  }

  /** Archives a definition and cancels its deployments; its containers are removed unless `container` is `keep`. `going` are definitions that are archived together with it. */
  async archive(
    tx: Tx,
    principal: Principal,
    id: string,
    container: 'keep' | 'remove' = 'remove',
    going?: ReadonlySet<string>,
  ) {
    const before = await this.#lock(tx, principal, id);
    if (before.status === 'archived') return this.#record(before);
    await requireUnbound(tx, id, 'archiving this', going);
    await this.#deps.requireSettled(tx, id, 'id');
    const archived = await this.#move(tx, principal, id, 'archive');
    await this.#deps.requireFittingData(tx, id);
    await this.#scheduleBackups(tx, before, 'off');
    const actor = actorOf(principal);
    await this.#deps.stopDeployments(tx, id, actor, { runningToo: container === 'remove' });
    if (container === 'remove') await this.#deps.releaseAll(tx, id, actor);
    return archived;
  }

  /** Archives all definitions of a removed server; its containers are no longer managed. */
  async archiveAllOn(tx: Tx, principal: Principal, serverId: string): Promise<void> {
    for (const row of await lockOfServer(tx, serverId)) {
      const { id } = row;
      await this.#move(tx, principal, id, 'archive');
      await this.#scheduleBackups(tx, row, 'off');
      await this.#deps.stopDeployments(tx, id, actorOf(principal), { runningToo: true });
    }
  }

  async activate(tx: Tx, principal: Principal, id: string): Promise<Definition> {
    const before = await this.#lock(tx, principal, id);
    const { server_id, tenant_id, instance_uid, status, test_id } = before;
    // Nothing would remove it again, no list would show it, and no quota would count it.
    if (test_id !== null)
      throw conflict('id', 'temporary', 'it was made for a rehearsal or a test and cannot be reactivated.');
    const holder = status === 'archived' ? await findUnarchived(tx, principal.accountId, instance_uid) : undefined;
    if (holder)
      throw conflict(
        'id',
        'taken',
        `the uid ${instance_uid} belongs to definition ${holder.id} now; archive that first.`,
        {
          definition_id: holder.id,
          instance_uid,
        },
      );
    if (status === 'archived') await this.#deps.requireRoom(tx, principal, 'definitions');
    if ((await this.#deps.serverStatus(tx, principal.accountId, server_id)) === undefined)
      throw noServer('the server of this definition has been removed.');
    // If its tenant was deleted, it is reactivated without one.
    const orphaned = tenant_id !== null && !(await tenantExists(tx, tenant_id));
    const activated = await this.#move(tx, principal, id, 'activate', orphaned ? { tenant_id: null } : {});
    await this.#deps.keepAll(tx, id, actorOf(principal));
    await this.#scheduleBackups(tx, before);
    return activated;
  }

  async revisions(principal: Principal, id: string, request: PageRequest): Promise<Page<Revision>> {
    const { reader, pages } = this.#deps;
    const definition = await this.#find(reader, principal, id);
    return pages.read(request, {
      rows: async (limit, offset) => {
        // One extra row: the last one on the page is compared with it.
        const rows = await listRevisions(reader, id, limit + 1, offset);
        return mapInTurns(rows.slice(0, limit), (row, i) =>
          revisionRecord(row, rows[i + 1], definition.current_revision),
        );
      },
      // Numbers run from 1 without gaps, so the last one is the count.
      count: async () => definition.last_revision,
      countKey: countKey('revisions', { id }),
    });
  }

  async secrets(principal: Principal, id: string, request: PageRequest): Promise<Page<Secret>> {
    await this.#find(this.#deps.reader, principal, id);
    return slice((await listSecrets(this.#deps.reader, id)).map(secretRecord), request);
  }

  async #bindings(tx: Tx, principal: Principal, before: CurrentRow, body: DefinitionUpdate): Promise<Bindings> {
    const bound = {
      template: this.#template(before.template_id),
      profile: body.profile ?? before.profile,
      serverId: before.server_id,
      tenantId: before.tenant_id,
      instanceUid: before.instance_uid,
    };
    const held = bindingsOf(before);
    if (body.bindings === undefined) return held;
    const bindings = await readBindings(tx, this.#deps.catalog, principal, bound, body.bindings, held);
    const changed = Object.entries(bindings).filter(([need]) => body.bindings?.[need]);
    await holdBound(tx, principal.accountId, Object.fromEntries(changed));
    return bindings;
  }

  /** Lists the definitions that provide a class, or any. */
  providers(accountId: string, className: string | undefined, request: PageRequest): Promise<Page<Provider>> {
    return listProviders(this.#deps.reader, this.#deps.catalog, accountId, className, request);
  }

  async #move(
    tx: Tx,
    principal: Principal,
    id: string,
    move: MoveOf<typeof definitionLifecycle.machine>,
    set: { tenant_id?: null } = {},
  ) {
    const before = await this.#lock(tx, principal, id);
    const changed = await transition(tx, definitionLifecycle, before, move, { actor: actorOf(principal), set });
    return this.#record({ ...before, ...changed });
  }

  /** Follows the settings of a definition, or pauses its schedules: archived definitions must not have any, as they are not limited. */
  async #scheduleBackups(tx: Tx, row: DefinitionRow, pause?: 'off'): Promise<void> {
    if (row.backup === null) return;
    const settings = { ...backupSettings(row), ...(pause && { schedule: pause }) };
    const { spec } = this.#template(row.template_id);
    await this.#deps.planBackups(tx, { definitionId: row.id, accountId: row.account_id, spec, settings });
  }

  async #find(queries: Queries, principal: Principal, id: string): Promise<CurrentRow> {
    const row = await findDefinition(queries, principal.accountId, id);
    if (!row) throw notFound('definition');
    return row;
  }

  /** Locks the row before it is read with its revision, so that both are consistent. */
  async #lock(tx: Tx, principal: Principal, id: string): Promise<CurrentRow> {
    if (!(await lockDefinition(tx, principal.accountId, id))) throw notFound('definition');
    return this.#find(tx, principal, id);
  }

  #template(id: string): CatalogTemplate {
    return this.#deps.catalog.known(id);
  }

  #record(row: CurrentRow): Definition {
    return definitionRecord(row, this.#template(row.template_id));
  }
}
