import type { ReportedInstance } from '@hortus/contract/resources/instance-records';
import type { ReportOutcome } from '@hortus/contract/resources/instances';
import type { Tx } from '../../storage/storage.ts';
import { saysNothingNew, take } from './facts.ts';
import { findReported, lockInstance, type Scope, touchInstances } from './store.ts';

/** Reports come every half minute; that there was one is written down only this often. */
const SIGN_OF_LIFE_MS = 60_000;

type Found = Awaited<ReturnType<typeof findReported>>[number];

/** Obeys a report. What says nothing new costs one read; names that are not the caller's are answered. */
export async function takeReport(
  tx: Tx,
  scope: Scope & { readonly actor?: string | null },
  reported: readonly ReportedInstance[],
): Promise<ReportOutcome> {
  const find = await finder(tx, scope, reported);
  const unknown: string[] = [];
  const meant = new Map<string, { row: Found; facts: ReportedInstance }>();
  let accepted = 0;
  for (const facts of reported) {
    const row = find(facts);
    if (row) {
      accepted++;
      // Said twice in one report, the last word counts.
      meant.set(row.id, { row, facts });
    } else unknown.push(facts.definition_id ?? facts.instance_uid ?? facts.container_name ?? '');
  }
  const actor = scope.actor ?? scope.serverId ?? null;
  const silent: string[] = [];
  // In the order of their ids, as everybody locks them.
  for (const [id, { row, facts }] of [...meant].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!saysNothingNew(row, facts, tx.now)) await obey(tx, id, facts, actor);
    else if (tx.now - (row.last_reported_at ?? 0) >= SIGN_OF_LIFE_MS) silent.push(id);
  }
  if (silent.length > 0) await touchInstances(tx, silent);
  return { accepted, unknown };
}

/** What was read without a lock only says that it is worth locking. */
async function obey(tx: Tx, id: string, facts: ReportedInstance, actor: string | null): Promise<void> {
  const row = await lockInstance(tx, id);
  if (!row || row.status === 'released' || saysNothingNew(row, facts, tx.now)) return;
  await take(tx, row, facts, { actor });
}

async function finder(tx: Tx, scope: Scope, reported: readonly ReportedInstance[]) {
  const names = {
    definitionIds: given(reported.map((one) => one.definition_id)),
    instanceUids: given(reported.map((one) => one.instance_uid)),
    containerNames: given(reported.map((one) => one.container_name)),
  };
  const some = Object.values(names).some((list) => list.length > 0);
  const rows: Found[] = some ? await findReported(tx, scope, names) : [];
  const byDefinition = new Map(rows.map((row) => [row.definition_id, row]));
  // Daemons know an instance by its name on the server, which counts first. A uid means the definition that has it now.
  const current = rows.filter((row) => row.definition_status !== 'archived');
  const byUid = new Map([
    ...current.map((row) => [row.instance_uid, row] as const),
    ...rows.map((row) => [row.name_on_server, row] as const),
  ]);
  const byContainer = new Map<string, Found | undefined>();
  // Two servers may each have a container of one name; then the name alone says nothing.
  for (const row of rows) byContainer.set(row.container_name, byContainer.has(row.container_name) ? undefined : row);
  return (one: ReportedInstance): Found | undefined =>
    byDefinition.get(one.definition_id ?? '') ??
    byUid.get(one.instance_uid ?? '') ??
    byContainer.get(one.container_name ?? '');
}

const given = (names: readonly (string | null | undefined)[]): string[] => [
  ...new Set(names.filter((name): name is string => typeof name === 'string' && name !== '')),
];
