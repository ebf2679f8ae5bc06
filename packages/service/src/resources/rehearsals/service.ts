import { randomBytes } from 'node:crypto';
import type { CloneOrder, Rehearsal } from '@hortus/contract/resources/rehearsals';
import { actorOf, type Principal, requirePermission } from '../../identity/principal.ts';
import { conflict, notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { begin } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Work } from '../../workers/job.ts';
import type { Backups } from '../backups/public.ts';
import {
  copyOrder,
  type DefinitionRow,
  type Definitions,
  lockDefinition,
  stageRevision,
} from '../definitions/public.ts';
import type { Instances, NamedRow } from '../instances/public.ts';
import type { ServerState } from '../servers/public.ts';
import type { Catalog, CatalogTemplate } from '../templates/public.ts';
import { recordRehearsal, rehearsalLifecycle, wakeRehearsal } from './lifecycle.ts';
import { rehearsalRecord } from './record.ts';
import {
  copyUnderWay,
  findRehearsal,
  lockRehearsal,
  noteRehearsal,
  type RehearsalFilter,
  rehearsalList,
} from './store.ts';
import type { RehearsalTrial } from './trial.ts';

export interface RehearsalsDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly vault: Vault;
  readonly catalog: Catalog;
  readonly work: Work;
  readonly trial: Pick<RehearsalTrial, 'advance' | 'cancel' | 'end'>;
  readonly definitions: Pick<Definitions, 'create'>;
  readonly instances: Pick<Instances, 'find' | 'lock' | 'ensure'>;
  readonly backups: Pick<Backups, 'forCopy'>;
  readonly server: (queries: Queries, accountId: string, id: string) => Promise<ServerState | undefined>;
  /** Throws if the revision cannot be resolved or cannot run isolated. */
  readonly resolve: (tx: Tx, accountId: string, definitionId: string, revision: number) => Promise<unknown>;
  /** Throws while the definition is being migrated. */
  readonly requireSettled: (tx: Tx, definitionId: string, field?: string) => Promise<void>;
  readonly matchesData: (queries: Queries, definitionId: string) => Promise<boolean>;
}

/** The choices of a change, and the secrets that it adds. */
export interface Change {
  readonly to: CatalogTemplate;
  readonly choices: Pick<CloneOrder, 'inputs' | 'profile' | 'variant'>;
  readonly generated: Readonly<Record<string, string>>;
}

export interface RehearsalOrder {
  readonly instanceId: string;
  readonly upgradeId: string | null;
  /** Null for a clone without changes. */
  readonly change: Change | null;
  readonly freshBackup: boolean;
  readonly ignoreCapacity: boolean;
  /** How long the copy is kept; null removes it at the end. */
  readonly keepMs: number | null;
}

/** Includes copying large data; a rehearsal on a server that stays offline for longer fails. */
const MAX_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

/** Tries changes on isolated copies of instances. `trial.ts` carries them out. */
export class Rehearsals {
  readonly #deps: RehearsalsDeps;
  constructor(deps: RehearsalsDeps) {
    this.#deps = deps;
  }

  async list(filter: RehearsalFilter, request: PageRequest): Promise<Page<Rehearsal>> {
    const { reader, pages, catalog } = this.#deps;
    const page = await pages.read(request, rehearsalList(reader, filter));
    return { ...page, data: page.data.map((row) => rehearsalRecord(catalog, row)) };
  }

  read({ accountId }: Principal, id: string): Promise<Rehearsal> {
    return this.#record(this.#deps.reader, accountId, id);
  }

  /** Finds out how a rehearsal ended, for an upgrade that waits for it. */
  async outcome(queries: Queries, accountId: string, id: string) {
    const row = await findRehearsal(queries, accountId, id);
    return {
      ended: row === undefined || row.finished_at !== null,
      passed: row?.status === 'passed',
      error: row?.error,
    };
  }

  async clone(tx: Tx, principal: Principal, instanceId: string, body: CloneOrder): Promise<Rehearsal> {
    const { inputs, profile, variant, minutes = 60, fresh_backup = false, ignore_capacity = false } = body;
    const { template_id } = await this.#deps.instances.find(tx, principal, instanceId);
    const choices = {
      ...(inputs && { inputs }),
      ...(profile && { profile }),
      ...(variant !== undefined && { variant }),
    };
    const changes = Object.keys(choices).length > 0;
    if (changes) requirePermission(principal, 'definitions:write');
    const to = this.#deps.catalog.known(template_id);
    return this.begin(tx, principal, {
      instanceId,
      upgradeId: null,
      change: changes ? { to, choices, generated: {} } : null,
      freshBackup: fresh_backup,
      ignoreCapacity: ignore_capacity,
      keepMs: minutes * MINUTE_MS,
    });
  }

  /** Creates the copy and orders what comes first. Everything that can be refused is refused here. */
  async begin(tx: Tx, principal: Principal, order: RehearsalOrder): Promise<Rehearsal> {
    const { instances, backups, catalog, matchesData } = this.#deps;
    const actor = actorOf(principal);
    // The definition is locked first, as by reports of daemons.
    const { account_id, definition_id } = await instances.find(tx, principal, order.instanceId);
    const source = await lockDefinition(tx, account_id, definition_id);
    if (!source) throw notFound('definition');
    const instance = await instances.lock(tx, principal, order.instanceId);
    const revision = await this.#requireReady(tx, source, instance);
    const id = newId('rehearsal');
    const copy = await this.#copy(tx, principal, source, revision, id, order.change);
    const matchingData = await matchesData(tx, instance.definition_id);
    const data = await backups.forCopy(tx, instance, { fresh: order.freshBackup, matchingData, actor });
    const row = await begin(
      tx,
      rehearsalLifecycle,
      {
        id,
        account_id: instance.account_id,
        kind: order.keepMs === null ? 'upgrade' : 'clone',
        instance_id: instance.id,
        definition_id: instance.definition_id,
        server_id: instance.server_id,
        upgrade_id: order.upgradeId,
        from_template_id: instance.template_id,
        to_template_id: order.change?.to.item.id ?? instance.template_id,
        copy_definition_id: copy.definitionId,
        copy_instance_id: copy.instanceId,
        change_revision: copy.changeRevision,
        backup_id: data?.backupId ?? null,
        backup_execution: data?.executionId ?? null,
        restore_deployment_id: null,
        change_deployment_id: null,
        smoke_id: null,
        release_id: null,
        ignore_capacity: order.ignoreCapacity ? 1 : 0,
        reason: null,
        error: null,
        last_lines: '[]',
        output: null,
        data_bytes: 0,
        keep_until: order.keepMs === null ? null : tx.now + order.keepMs,
        deadline_at: tx.now + MAX_MS,
        backed_up_at: null,
        restored_at: null,
        applied_at: null,
        cleared_at: null,
        created_by: actor,
        created_at: tx.now,
        updated_at: tx.now,
        finished_at: null,
      },
      'prepare',
      actor,
    );
    await recordRehearsal(tx, row, 'begun', actor);
    // Without a backup to wait for, the copy is ordered now, so that missing capacity is refused at once.
    if (row.backup_execution === null) await this.#deps.trial.advance(tx, row);
    await wakeRehearsal(tx, id);
    return rehearsalRecord(catalog, await this.#find(tx, instance.account_id, id));
  }

  /** Removes the copy of a clone now, or cancels what is running; the job does the rest. */
  async remove(tx: Tx, principal: Principal, id: string): Promise<Rehearsal> {
    const { trial } = this.#deps;
    const { accountId } = principal;
    const row = await lockRehearsal(tx, accountId, id);
    if (!row) throw notFound('rehearsal');
    if (row.finished_at === null) {
      await trial.cancel(tx, row);
      const verdict = { reason: 'cancelled', error: 'The rehearsal was cancelled.' } as const;
      await trial.end(tx, row, verdict, actorOf(principal));
    }
    if (row.cleared_at === null) {
      if (row.keep_until !== null && row.keep_until > tx.now)
        await noteRehearsal(tx, id, { keep_until: tx.now, updated_at: tx.now });
      await wakeRehearsal(tx, id);
    }
    return this.#record(tx, accountId, id);
  }

  /** Returns the running revision of an instance that can be copied. */
  async #requireReady(tx: Tx, source: DefinitionRow, instance: NamedRow): Promise<number> {
    const { server, requireSettled } = this.#deps;
    const { revision, status, account_id, definition_id, server_id } = instance;
    if (revision === null || status === 'released')
      throw conflict('status', 'state', 'the instance is not deployed, so there is nothing to copy.', { status });
    await requireSettled(tx, definition_id, 'id');
    if (source.copy_of !== null)
      throw conflict('id', 'copy', 'the instance is a copy itself; name the original.', { copy_of: source.copy_of });
    const other = await copyUnderWay(tx, instance.id);
    if (other)
      throw conflict('id', 'rehearsing', `the copy of ${other.id} still exists; wait, or remove it.`, {
        rehearsal_id: other.id,
      });
    const serverState = await server(tx, account_id, server_id);
    if (serverState?.capabilities && !serverState.capabilities.includes('copies'))
      throw conflict('id', 'old_daemon', `the daemon of ${serverState.name} cannot isolate copies; update it.`);
    return revision;
  }

  async #copy(
    tx: Tx,
    principal: Principal,
    source: DefinitionRow,
    revision: number,
    testId: string,
    change: Change | null,
  ) {
    const { vault, catalog, work, definitions, instances, resolve } = this.#deps;
    const { account_id: accountId } = source;
    const uid = `copy-${randomBytes(6).toString('hex')}`;
    const order = await copyOrder(tx, { vault, catalog }, source, revision, { uid, testId });
    const { id: definitionId, server_id: serverId } = await definitions.create(tx, principal, order);
    await resolve(tx, accountId, definitionId, 1);
    const passage = change && { from: order.template, to: change.to, running: 1 };
    const changeRevision =
      passage &&
      (await stageRevision(tx, { vault, work }, principal, definitionId, passage, change.choices, change.generated));
    if (changeRevision !== null) await resolve(tx, accountId, definitionId, changeRevision);
    // Created now, so that its release can always be ordered, whatever was left on the server.
    const { id: instanceId } = await instances.ensure(tx, { accountId, definitionId, serverId, containerName: uid });
    return { definitionId, instanceId, changeRevision };
  }

  async #record(queries: Queries, accountId: string, id: string): Promise<Rehearsal> {
    return rehearsalRecord(this.#deps.catalog, await this.#find(queries, accountId, id));
  }

  async #find(queries: Queries, accountId: string, id: string) {
    const row = await findRehearsal(queries, accountId, id);
    if (!row) throw notFound('rehearsal');
    return row;
  }
}
