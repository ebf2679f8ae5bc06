import type { ReportedInstance } from '@hortus/contract/resources/instance-records';
import type { ReportOutcome, Unrecognised } from '@hortus/contract/resources/instances';
import type { Tx } from '../../storage/storage.ts';
import { saysNothingNew, take } from './facts.ts';
import type { Scope } from './lists/store.ts';
import { findReported, lockInstance, touchInstances } from './store.ts';
import { ignoredFields, MAX_UNRECOGNISED, unmatched } from './unrecognised.ts';

/** Reports arrive every 30 seconds; `last_reported_at` is written only this often. */
const SIGN_OF_LIFE_MS = 60_000;

type Found = Awaited<ReturnType<typeof findReported>>[number];

/** Applies a report. One without news costs one read; what it does not recognise is returned. */
export async function takeReport(
  tx: Tx,
  scope: Scope & { readonly actor?: string | null },
  reported: readonly ReportedInstance[],
): Promise<ReportOutcome> {
  const find = await finder(tx, scope, reported);
  const unknown: string[] = [];
  const unrecognised: Unrecognised[] = [];
  const meant = new Map<string, { row: Found; facts: ReportedInstance }>();
  let accepted = 0;
  for (const [entry, facts] of reported.entries()) {
    const row = find(facts);
    if (row) {
      accepted++;
      // If an instance appears twice in a report, the last entry counts.
      meant.set(row.id, { row, facts });
    } else {
      unknown.push(facts.definition_id ?? facts.instance_uid ?? facts.container_name ?? facts.id ?? '');
      if (unrecognised.length < MAX_UNRECOGNISED) unrecognised.push(unmatched(entry, facts));
    }
    for (const ignored of ignoredFields(entry, facts)) {
      if (unrecognised.length >= MAX_UNRECOGNISED) break;
      unrecognised.push(ignored);
    }
  }
  const actor = scope.actor ?? scope.serverId ?? null;
  const silent: string[] = [];
  // In the order of ids, as all callers lock them, to avoid deadlocks.
  for (const [id, { row, facts }] of [...meant].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!saysNothingNew(row, facts, tx.now)) await obey(tx, id, facts, actor);
    else if (tx.now - (row.last_reported_at ?? 0) >= SIGN_OF_LIFE_MS) silent.push(id);
  }
  if (silent.length > 0) await touchInstances(tx, silent);
  return { accepted, unknown, unrecognised };
}

/** Checks again under the lock, since the first read was without one. */
async function obey(tx: Tx, id: string, facts: ReportedInstance, actor: string | null): Promise<void> {
  const row = await lockInstance(tx, id);
  if (!row || row.status === 'released' || saysNothingNew(row, facts, tx.now)) return;
  await take(tx, row, facts, { actor });
}

async function finder(tx: Tx, scope: Scope, reported: readonly ReportedInstance[]) {
  const names = {
    ids: inputOf(reported.map((item) => item.id)),
    definitionIds: inputOf(reported.map((item) => item.definition_id)),
    instanceUids: inputOf(reported.map((item) => item.instance_uid)),
    containerNames: inputOf(reported.map((item) => item.container_name)),
  };
  const some = Object.values(names).some((list) => list.length > 0);
  const rows: Found[] = some ? await findReported(tx, scope, names) : [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byDefinition = new Map(rows.map((row) => [row.definition_id, row]));
  // The name on the server takes precedence; a uid means the definition that has it now.
  const current = rows.filter((row) => row.definition_status !== 'archived');
  const byUid = new Map([
    ...current.map((row) => [row.instance_uid, row] as const),
    ...rows.map((row) => [row.name_on_server, row] as const),
  ]);
  const byContainer = new Map<string, Found | undefined>();
  // A container name that exists on two servers is ambiguous and ignored.
  for (const row of rows) byContainer.set(row.container_name, byContainer.has(row.container_name) ? undefined : row);
  return (instance: ReportedInstance): Found | undefined =>
    byId.get(instance.id ?? '') ??
    byDefinition.get(instance.definition_id ?? '') ??
    byUid.get(instance.instance_uid ?? '') ??
    byContainer.get(instance.container_name ?? '');
}

const inputOf = (names: readonly (string | null | undefined)[]): string[] => [
  ...new Set(names.filter((name): name is string => typeof name === 'string' && name !== '')),
];
