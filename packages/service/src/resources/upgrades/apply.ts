import type { Rehearsal } from '@hortus/contract/resources/rehearsals';
import type { Upgrade, UpgradeApply, UpgradeRehearse, UpgradesApply } from '@hortus/contract/resources/upgrades';
import { refusalOf, refusalText } from '@hortus/template/upgrade/refusal';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import { conflict, invalid, notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { transition } from '../../state/transition.ts';
import { doOutside } from '../../storage/outside.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Work } from '../../workers/job.ts';
import { type Passage, secretsFor, stageRevision } from '../definitions/public.ts';
import type { Rehearsals } from '../rehearsals/public.ts';
import type { Catalog } from '../templates/public.ts';
import { APPLY_ALL, advance, type StepDeps, wakeUpgrade } from './application.ts';
import { notBegun, recordUpgrade, upgradeLifecycle } from './lifecycle.ts';
import { upgradeRecord, upgradeRecords } from './record.ts';
import { type ChosenRow, findChosen, lockUpgrade, noteUpgrade, oldestOpen } from './store.ts';

export interface ApplyAllPayload {
  readonly account_id: string;
  readonly actor: string;
  readonly upgrade_ids: readonly string[];
  /** Absent in batches from before rehearsals. */
  readonly rehearse?: boolean;
}

export interface UpgradeApplicationDeps extends StepDeps {
  readonly rehearsals: Pick<Rehearsals, 'begin'>;
  readonly reader: Queries;
  readonly vault: Vault;
  readonly catalog: Catalog;
  readonly work: Work;
  /** Whether the daemon of a server can make backups, as far as known. */
  readonly canBackUp: (queries: Queries, serverId: string) => Promise<boolean>;
}

/** Prepared before the transaction. */
export interface PreparedApplication {
  readonly id: string;
  readonly generated: Readonly<Record<string, string>>;
}

const MAX_AT_ONCE = 100;

/** Starts upgrades; `application.ts` carries them out. */
export class UpgradeApplication {
  readonly #deps: UpgradeApplicationDeps;
  constructor(deps: UpgradeApplicationDeps) {
    this.#deps = deps;
  }

  async prepare(principal: Principal, id: string): Promise<PreparedApplication> {
    const { reader, vault, catalog } = this.#deps;
    const row = await findChosen(reader, principal.accountId, id);
    if (!row) throw notFound('upgrade');
    const to = catalog.known(row.to_template_id);
    return { id, generated: await secretsFor(reader, vault, principal, row.definition_id, to) };
  }

  async apply(tx: Tx, principal: Principal, prepared: PreparedApplication, body: UpgradeApply): Promise<Upgrade> {
    const { vault, work } = this.#deps;
    const { accountId } = principal;
    const actor = actorOf(principal);
    const { id, generated } = prepared;
    const row = await lockUpgrade(tx, accountId, id);
    const chosen = row && (await findChosen(tx, accountId, id));
    if (!row || !chosen) throw notFound('upgrade');
    const { passage, from_revision } = this.#passage(chosen);
    const { without_backup = false } = body;
    if (without_backup) this.#requireDispensable(chosen, body);
    else await this.#requireBackup(tx, chosen, 'without_backup');
    const set = { ...notBegun, applied_by: actor, started_at: tx.now, ignore_capacity: flag(body.ignore_capacity) };
    // Rehearsed before the revision is staged: staging keeps the values of secrets.
    const rehearsal_id = body.rehearse ? (await this.#rehearse(tx, principal, prepared, chosen, body)).id : null;
    const begun = await transition(tx, upgradeLifecycle, row, 'apply', { actor, set: { ...set, rehearsal_id } });
    const revision = await stageRevision(tx, { vault, work }, principal, row.definition_id, passage, body, generated);
    await recordUpgrade(tx, begun, 'begun', actor);
    const { row: first } = await advance(
      this.#deps,
      tx,
      { ...begun, from_revision, revision },
      { withoutBackup: without_backup },
    );
    await wakeUpgrade(tx, id);
    return upgradeRecord(this.#deps, tx, { ...chosen, ...first });
  }

  /** Tries the upgrade on an isolated copy; the upgrade itself stays as it is. */
  async rehearse(
    tx: Tx,
    principal: Principal,
    prepared: PreparedApplication,
    body: UpgradeRehearse,
  ): Promise<Rehearsal> {
    const { accountId } = principal;
    const chosen = await findChosen(tx, accountId, prepared.id);
    if (!chosen) throw notFound('upgrade');
    if (chosen.status === 'applied' || chosen.status === 'applying')
      throw conflict('status', 'state', `the upgrade is ${chosen.status}.`, { status: chosen.status });
    return this.#rehearse(tx, principal, prepared, chosen, body);
  }

  async #rehearse(
    tx: Tx,
    principal: Principal,
    { generated }: PreparedApplication,
    chosen: ChosenRow,
    { fresh_backup = false, ignore_capacity = false, ...choices }: UpgradeRehearse,
  ): Promise<Rehearsal> {
    const { to } = this.#passage(chosen).passage;
    return this.#deps.rehearsals.begin(tx, principal, {
      instanceId: chosen.instance_id,
      upgradeId: chosen.id,
      change: { to, choices, generated },
      freshBackup: fresh_backup,
      ignoreCapacity: ignore_capacity,
      keepMs: null,
    });
  }

  /** All must be ready, because there is no one to ask for decisions later. */
  async applyAll(
    tx: Tx,
    principal: Principal,
    { upgrade_ids, species, rehearse = false }: UpgradesApply,
  ): Promise<Upgrade[]> {
    const { accountId } = principal;
    if ((upgrade_ids === undefined) === (species === undefined))
      throw invalid('upgrade_ids', 'give either upgrade_ids or species');
    const ids = upgrade_ids ?? (await oldestOpen(tx, { accountId, species }, MAX_AT_ONCE));
    if (ids.length === 0) throw invalid('species', 'there is no open upgrade of this species', { reason: 'none_open' });
    const fieldOf = (place: number) => (upgrade_ids === undefined ? 'species' : `upgrade_ids[${place}]`);
    const rows: ChosenRow[] = [];
    for (const [place, id] of ids.entries()) {
      const row = await findChosen(tx, accountId, id);
      if (!row) throw invalid(fieldOf(place), `there is no upgrade ${id}`, { reason: 'unknown' });
      rows.push(row);
    }
    const key = () => JSON.stringify(['upgrades', rows]);
    const upgrades = await doOutside(tx, key, () => upgradeRecords(this.#deps, this.#deps.reader, rows));
    for (const [place, upgrade] of upgrades.entries()) {
      const field = fieldOf(place);
      if (upgrade.status !== 'available' && upgrade.status !== 'acknowledged')
        throw conflict(field, 'state', `${upgrade.instance_name}: the upgrade is ${upgrade.status}.`);
      if (upgrade.refusal)
        throw conflict(field, 'refused', `${upgrade.instance_name}: ${refusalText(upgrade.refusal)}.`, {
          upgrade_id: upgrade.id,
          refusal: upgrade.refusal,
        });
      if (!upgrade.ready)
        throw conflict(field, 'not_ready', `${upgrade.instance_name} needs decisions; apply it separately.`, {
          upgrade_id: upgrade.id,
          conflicts: upgrade.conflicts,
          new_inputs: upgrade.new_inputs,
        });
    }
    for (const [place, row] of rows.entries()) await this.#requireBackup(tx, row, fieldOf(place));
    const payload: ApplyAllPayload = { account_id: accountId, actor: actorOf(principal), upgrade_ids: ids, rehearse };
    const batch = newId('job');
    for (const { id } of upgrades) await noteUpgrade(tx, id, { batch });
    await enqueue(tx, { kind: APPLY_ALL, key: batch, payload });
    return upgrades;
  }

  /** Refuses an upgrade that would only fail at its backup, and names the way without one. */
  async #requireBackup(tx: Tx, row: ChosenRow, field: string): Promise<void> {
    const { catalog, canBackUp, rebuildsData } = this.#deps;
    if (catalog.known(row.from_template_id).spec.backup.strategy === 'none') return;
    if (await canBackUp(tx, row.server_id)) return;
    const way = rebuildsData(row)
      ? 'run hortusd there: the newer version gets its data from that backup.'
      : `set without_backup when you apply ${row.id} to upgrade without one, or run hortusd there.`;
    throw conflict(
      field,
      'no_backup',
      `the daemon of the server supports only the published messages and cannot make the declared backup; ${way}`,
      { upgrade_id: row.id },
    );
  }

  #requireDispensable(row: ChosenRow, { rehearse = false }: UpgradeApply): void {
    if (rehearse) throw invalid('without_backup', 'a rehearsal restores a backup; leave one of the two out.');
    if (this.#deps.rebuildsData(row))
      throw conflict('without_backup', 'dump_restore', 'the newer version gets its data from the backup.');
  }

  #passage(row: ChosenRow): { passage: Passage; from_revision: number } {
    const { catalog } = this.#deps;
    const { running_revision: running, running_template_id } = row;
    if (running_template_id !== row.from_template_id || running === null)
      throw conflict('id', 'outdated', 'the instance no longer runs the version that this upgrade starts from.');
    const [from, to] = [catalog.known(row.from_template_id), catalog.known(row.to_template_id)];
    if (to.item.deprecated) throw conflict('id', 'deprecated', `${to.item.version} has been deprecated since.`);
    // The rules of the newest version count, also for an upgrade to an earlier one that failed and is applied again.
    const refusal = refusalOf(from.spec, (catalog.newestOf(from.item.species, from.owner) ?? to).spec);
    if (refusal) throw conflict('version', 'refused', `${refusalText(refusal)}.`, { refusal });
    return { passage: { from, to, running }, from_revision: running };
  }
}

const flag = (input: boolean | undefined) => (input ? (1 as const) : (0 as const));
