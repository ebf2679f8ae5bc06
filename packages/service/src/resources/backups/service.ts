import { builtIn } from '@hortus/contract/actions/built-in-actions';
import type { Execution } from '@hortus/contract/resources/actions';
import type { BackupManifest } from '@hortus/contract/resources/backup-records';
import type { Backup, BackupOrder, RestoreOrder, RestorePlan } from '@hortus/contract/resources/backups';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { conflict, invalid, notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { transition } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';
import type { Vault } from '../../vault/vault.ts';
import type { RevisionRow } from '../definitions/public.ts';
import { type BuiltInOrder, findLiving, type Instances, type NamedRow, released, specOf } from '../instances/public.ts';
import type { Catalog } from '../templates/public.ts';
import { auditBackup, beginBackup, keyOf, newKey } from './begin.ts';
import { type CopiedBackup, sourceOfCopy } from './for-copy.ts';
import { backupLifecycle } from './lifecycle.ts';
import { backupOfRevision, type Undone } from './of-revision.ts';
import { backupRecord } from './record.ts';
import { intoOf, type PlannedRestore, restorePlan } from './restore-plan.ts';
import { type BackupFilter, type BackupRow, backupList, findBackup, lockBackup } from './store.ts';

export interface BackupsDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly vault: Vault;
  readonly catalog: Pick<Catalog, 'known'>;
  readonly instances: Pick<Instances, 'lock' | 'lockLivingIn' | 'findIn'>;
  /** Whether the daemon of a server obeys `restore_into` of an order; true if none has connected yet. */
  readonly emptyRestores: (queries: Queries, serverId: string) => Promise<boolean>;
  readonly order: (tx: Tx, order: BuiltInOrder) => Promise<Execution>;
}

export interface Ordered {
  readonly execution: Execution;
  readonly backup: Backup;
}

/** Extent of a backup and how long it may wait to start. */
export interface Taking extends BackupOrder {
  readonly startWithinMs?: number;
}

/** Orders, verifies, restores and deletes backups; the daemon of their server does the work. */
export class Backups {
  readonly #deps: BackupsDeps;
  constructor(deps: BackupsDeps) {
    this.#deps = deps;
  }

  async list(filter: BackupFilter, request: PageRequest): Promise<Page<Backup>> {
    const { reader, pages } = this.#deps;
    const page = await pages.read(request, backupList(reader, filter));
    return { ...page, data: page.data.map(backupRecord) };
  }

  async read({ accountId }: Principal, id: string): Promise<Backup> {
    const row = await findBackup(this.#deps.reader, accountId, id);
    if (!row) throw notFound('backup');
    return backupRecord(row);
  }

  async create(tx: Tx, principal: Principal, instanceId: string, order: BackupOrder = {}): Promise<Ordered> {
    const instance = await this.#deps.instances.lock(tx, principal, instanceId);
    return this.take(tx, instance, 'manual', actorOf(principal), order);
  }

  /**
   * Takes a backup before a running instance is changed; undefined if the template declares no backup. Data that does
   * not belong to the running revision (`matchingData` false) is kept as a safety backup.
   */
  async beforeChange(
    tx: Tx,
    principal: Principal,
    instanceId: string,
    matchingData: boolean,
  ): Promise<Ordered | undefined> {
    const instance = await this.#deps.instances.lock(tx, principal, instanceId);
    if (specOf(this.#deps.catalog, instance).backup.strategy === 'none') return undefined;
    return this.take(tx, instance, kindBefore(matchingData), actorOf(principal));
  }

  /**
   * Refuses if a deployed instance of the definition uses a template without a backup declaration. Definitions that are
   * not deployed pass.
   */
  async requireDeclared(tx: Tx, accountId: string, definitionId: string, field: string): Promise<void> {
    const instance = await this.#deps.instances.lockLivingIn(tx, accountId, definitionId);
    if (!instance || instance.revision === null) return;
    const { backup, slug } = specOf(this.#deps.catalog, instance);
    if (backup.strategy === 'none') throw undeclared(field, slug);
  }

  /** Takes a backup before a deployment; undefined if nothing is deployed yet. */
  async beforeDeployment(
    tx: Tx,
    { account_id, definition_id, created_by }: Preceding,
    matchingData: boolean,
  ): Promise<Ordered | undefined> {
    const instance = await this.#deps.instances.lockLivingIn(tx, account_id, definition_id);
    if (!instance || instance.revision === null) return undefined;
    return this.take(tx, instance, kindBefore(matchingData), created_by, { startWithinMs: MONTH_MS });
  }

  /** Orders a backup of an instance that the caller has locked. */
  async take(
    tx: Tx,
    instance: NamedRow,
    kind: BackupRow['kind'],
    actor: string | null,
    { extent = 'declared', startWithinMs }: Taking = {},
  ): Promise<Ordered> {
    const { catalog, order } = this.#deps;
    if (instance.status === 'released') throw released();
    if (instance.revision === null)
      throw conflict('status', 'state', 'the instance has not been deployed yet.', { status: instance.status });
    const { backup, slug: species } = specOf(catalog, instance);
    if (backup.strategy === 'none' && extent === 'declared') throw undeclared('id', species);
    const id = newId('backup');
    const key = newKey();
    const execution = await order(tx, {
      instance,
      slug: builtIn.backup,
      params: { backup_id: id, ...(extent === 'volumes' && { extent }) },
      secret: { key },
      actor,
      ...(startWithinMs !== undefined && { startWithinMs }),
    });
    return {
      execution,
      backup: backupRecord(await beginBackup(tx, this.#deps.vault, instance, { id, kind, key, execution, actor })),
    };
  }

  async verify(tx: Tx, principal: Principal, id: string): Promise<Ordered> {
    const row = await this.#lock(tx, principal.accountId, id);
    return this.prove(tx, row, actorOf(principal));
  }

  /** Orders a verification. The caller has locked the backup. */
  async prove(tx: Tx, row: BackupRow, actor: string | null): Promise<Ordered> {
    this.#requireCompleted(row);
    const instance = await this.#living(tx, row);
    const execution = await this.#deps.order(tx, {
      instance,
      slug: builtIn.verifyBackup,
      params: { backup_id: row.id, manifest_sha256: row.manifest_sha256, ...(await this.#into(tx, row, instance)) },
      secret: { key: await keyOf(tx, this.#deps.vault, row) },
      actor,
    });
    return { execution, backup: backupRecord(row) };
  }

  /** Describes what a restore would do. */
  async planRestore(principal: Principal, id: string, wished: RestoreOrder['into']): Promise<RestorePlan> {
    const { reader, instances } = this.#deps;
    const row = await findBackup(reader, principal.accountId, id);
    if (!row) throw notFound('backup');
    this.#requireCompleted(row);
    const living = await findLiving(reader, row.definition_id);
    const instance = living && (await instances.findIn(reader, row.account_id, living.id));
    if (!instance || instance.revision === null) throw undeployed();
    return restorePlan(await this.#planned(reader, row, instance, wished), instance.id);
  }

  async #planned(
    queries: Queries,
    row: BackupRow,
    instance: NamedRow,
    wished: RestoreOrder['into'],
  ): Promise<PlannedRestore> {
    const { catalog, emptyRestores } = this.#deps;
    return { row, wished, spec: specOf(catalog, instance), able: await emptyRestores(queries, instance.server_id) };
  }

  /** Tells a daemon that can be told where to read the dump. */
  async #into(tx: Tx, row: BackupRow, instance: NamedRow, wished?: RestoreOrder['into']) {
    const planned = await this.#planned(tx, row, instance, wished);
    const into = intoOf(planned);
    return into === undefined || !planned.able ? {} : { restore_into: into };
  }

  async restore(tx: Tx, principal: Principal, id: string, { confirm, into }: RestoreOrder): Promise<Ordered> {
    const row = await this.#lock(tx, principal.accountId, id);
    if (confirm !== row.instance_uid)
      throw invalid('confirm', `must be the name of the instance whose data is replaced: ${row.instance_uid}.`, {
        reason: 'confirm',
      });
    return this.#putBack(tx, row, actorOf(principal), { slug: builtIn.restore, wished: into });
  }

  dataOf(
    queries: Queries,
    undone: Undone,
    revision: Pick<RevisionRow, 'number' | 'template_id' | 'profile'>,
  ): Promise<string | undefined> {
    return backupOfRevision(queries, this.#deps.catalog, undone, revision);
  }

  /** Finds or orders the backup that a copy gets its data from; undefined if there is no data. */
  async forCopy(
    tx: Tx,
    instance: NamedRow,
    {
      fresh,
      matchingData,
      actor,
    }: { readonly fresh: boolean; readonly matchingData: boolean; readonly actor: string | null },
  ): Promise<CopiedBackup | undefined> {
    const source = await sourceOfCopy(tx, specOf(this.#deps.catalog, instance), instance, fresh);
    if (source === undefined) return undefined;
    if ('backupId' in source) return { ...source, executionId: null };
    const { backup, execution } = await this.take(tx, instance, kindBefore(matchingData), actor, source);
    return { backupId: backup.id, executionId: execution.id };
  }

  /** Reads the size of a backup before compression. */
  async bytesOf(queries: Queries, accountId: string, id: string): Promise<number> {
    return (await findBackup(queries, accountId, id))?.bytes ?? 0;
  }

  /** Restores a backup for a deployment that waits for it; the deployment itself starts the containers. */
  async returnFor(
    tx: Tx,
    { id: deployment_id, account_id, definition_id, backup_id, revision, created_by }: Preceding & Waiting,
    resume: boolean,
  ): Promise<Ordered> {
    const row = await this.#lock(tx, account_id, backup_id ?? '');
    if (row.definition_id !== definition_id)
      return this.#copyFor(tx, row, { definition_id, deployment_id, revision }, created_by);
    return this.#putBack(tx, row, created_by, {
      slug: builtIn.returnData,
      params: { deployment_id, revision, resume },
      startWithinMs: MONTH_MS,
    });
  }

  /** Restores a backup into a copy of its instance, which the daemon leaves alone. */
  async #copyFor(
    tx: Tx,
    row: BackupRow,
    copy: Readonly<Record<string, unknown>>,
    actor: string | null,
  ): Promise<Ordered> {
    this.#requireCompleted(row);
    const execution = await this.#deps.order(tx, {
      instance: await this.#living(tx, row),
      slug: builtIn.copyData,
      params: { backup_id: row.id, manifest_sha256: row.manifest_sha256, ...copy },
      secret: { key: await keyOf(tx, this.#deps.vault, row) },
      actor,
      startWithinMs: MONTH_MS,
    });
    return { execution, backup: backupRecord(row) };
  }

  /** Restores a backup that the caller has locked. */
  putBack(tx: Tx, row: BackupRow, actor: string | null): Promise<Ordered> {
    return this.#putBack(tx, row, actor, { slug: builtIn.restore });
  }

  /** Restores a backup that the caller has locked on another node than the lost one of its instance. */
  async elsewhere(tx: Tx, row: BackupRow, instance: NamedRow, lostNode: string): Promise<Ordered> {
    this.#requireCompleted(row);
    const execution = await this.#deps.order(tx, {
      instance,
      slug: builtIn.restoreElsewhere,
      params: {
        backup_id: row.id,
        manifest_sha256: row.manifest_sha256,
        lost_node: lostNode,
        ...(await this.#into(tx, row, instance)),
      },
      secret: { key: await keyOf(tx, this.#deps.vault, row) },
      actor: null,
      startWithinMs: MONTH_MS,
    });
    await auditBackup(tx, 'audit.backup_restore_ordered', row, null);
    return { execution, backup: backupRecord(row) };
  }

  async #putBack(
    tx: Tx,
    row: BackupRow,
    actor: string | null,
    {
      params,
      wished,
      ...order
    }: Pick<BuiltInOrder, 'slug' | 'params' | 'startWithinMs'> & {
      readonly wished?: RestoreOrder['into'];
    },
  ): Promise<Ordered> {
    this.#requireCompleted(row);
    const instance = await this.#living(tx, row);
    const safety = { id: newId('backup'), key: newKey() };
    const into = order.slug === builtIn.restore ? await this.#into(tx, row, instance, wished) : {};
    const execution = await this.#deps.order(tx, {
      ...order,
      instance,
      params: {
        backup_id: row.id,
        manifest_sha256: row.manifest_sha256,
        safety_backup_id: safety.id,
        ...into,
        ...params,
      },
      secret: { key: await keyOf(tx, this.#deps.vault, row), safety_key: safety.key },
      actor,
    });
    await beginBackup(tx, this.#deps.vault, instance, { ...safety, kind: 'safety', execution, actor });
    await auditBackup(tx, 'audit.backup_restore_ordered', row, actor);
    return { execution, backup: backupRecord(row) };
  }

  /** Reads a completed backup and its manifest, for exports. `field` is the request field with the id. */
  async completed(queries: Queries, accountId: string, id: string, field = 'id') {
    const row = await findBackup(queries, accountId, id);
    if (!row && field === 'id') throw notFound('backup');
    if (!row) throw invalid(field, 'there is no such backup.', { reason: 'unknown' });
    this.#requireCompleted(row);
    return { row, manifest: JSON.parse(row.manifest ?? '') as BackupManifest };
  }

  /** Returns what a server needs to read the backup. */
  async opening(queries: Queries, accountId: string, id: string) {
    const row = await findBackup(queries, accountId, id);
    if (row?.status !== 'completed') return undefined;
    return { id, manifest_sha256: row.manifest_sha256 ?? '', key: await keyOf(queries, this.#deps.vault, row) };
  }

  async delete(tx: Tx, principal: Principal, id: string): Promise<Backup> {
    const row = await this.#lock(tx, principal.accountId, id);
    return backupRecord(await this.remove(tx, row, actorOf(principal)));
  }

  /** Deletes a backup that the caller has locked. A failed one has no data on the server. */
  async remove(tx: Tx, row: BackupRow, actor: string | null): Promise<BackupRow> {
    if (row.status === 'deleting' || row.status === 'deleted') return row;
    if (row.status === 'failed') return transition(tx, backupLifecycle, row, 'vanish', { actor });
    const going = await transition(tx, backupLifecycle, row, 'delete', { actor });
    const instance = await this.#deps.instances.findIn(tx, row.account_id, row.instance_id);
    if (!instance) throw notFound('instance');
    const params = { backup_id: row.id, instance_uid: instance.container_name };
    await this.#deps.order(tx, { instance, slug: builtIn.deleteBackup, params, actor, startWithinMs: MONTH_MS });
    await auditBackup(tx, 'audit.backup_deleted', row, actor);
    return going;
  }

  async #lock(tx: Tx, accountId: string, id: string): Promise<BackupRow> {
    const row = await lockBackup(tx, accountId, id);
    if (!row) throw notFound('backup');
    return row;
  }

  #requireCompleted(row: BackupRow): void {
    if (row.status === 'completed') return;
    throw conflict('status', 'state', `the backup is ${row.status}.`, { status: row.status });
  }

  /** Finds the deployed instance of the backup's definition: it may have replaced the instance that was backed up. */
  async #living(tx: Tx, { definition_id, account_id }: BackupRow): Promise<NamedRow> {
    const instance = await this.#deps.instances.lockLivingIn(tx, account_id, definition_id);
    if (!instance || instance.revision === null) throw undeployed();
    return instance;
  }
}

type DeploymentRow = Row<'deployments'>;
/** A deployment that a backup or restore precedes. */
type Preceding = Pick<DeploymentRow, 'account_id' | 'definition_id' | 'created_by'>;
type Waiting = Pick<DeploymentRow, 'id' | 'backup_id' | 'revision'>;

/** Only a `pre_deploy` backup is restored by a rollback, so its data must belong to the revision. */
const kindBefore = (matchingData: boolean) => (matchingData ? 'pre_deploy' : 'safety');

const undeployed = () => conflict('id', 'not_deployed', 'its definition is not deployed; deploy it first.');

const undeclared = (field: string, species: string) =>
  conflict(field, 'no_backup', `the template ${species} declares no backup.`);

/** A server may be offline for long; orders wait this long for it. */
const MONTH_MS = 30 * 24 * 3_600_000;
