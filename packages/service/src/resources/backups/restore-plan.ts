import type { RestorePlan } from '@hortus/contract/resources/backups';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { dumped, type RestoresInto, rebuiltVolumes, restoresIntoOn } from '@hortus/template/canonical/dump-restore';
import { conflict } from '../../problem.ts';
import { manifestIn } from './record.ts';
import type { BackupRow } from './store.ts';

export interface PlannedRestore {
  readonly row: BackupRow;
  /** Template of the deployed revision. */
  readonly spec: Canonical;
  /** Whether the daemon obeys `restore_into` of an order and keeps volumes that no dump rebuilds. */
  readonly able: boolean;
  /** Where the caller wants a dump to be read. */
  readonly wished: RestoresInto | undefined;
}

/** Decides where the dump of a backup is read; undefined if it has none. Throws if the daemon cannot do as wished. */
export function intoOf({ row, spec, able, wished }: PlannedRestore): RestoresInto | undefined {
  if (!manifestIn(row)?.parts.some(({ kind }) => kind === 'dump')) return undefined;
  if (wished !== undefined && !able)
    throw conflict('into', 'old_daemon', 'the daemon of the server restores only as its manifest says; update it.');
  return wished ?? restoresIntoOn(spec, able);
}

/** Describes a restore before it is confirmed. */
export function restorePlan(planned: PlannedRestore, instanceId: string): RestorePlan {
  const { row, spec, able, wished } = planned;
  const into = intoOf(planned) ?? null;
  const replaces = (manifestIn(row)?.parts ?? []).flatMap(({ kind, name }) => (kind === 'volume' ? name : []));
  const { component = '', storage } = dumped(spec);
  const empties = into === 'empty' ? rebuiltVolumes(storage, new Set(replaces)) : [];
  const services = Object.entries(spec.components).flatMap(([name, { kind }]) => (kind === 'service' ? name : []));
  const facts: Facts = {
    into,
    reason: into === 'running' ? reasonOf(planned) : null,
    stops: into === 'running' && replaces.length === 0 ? [] : services,
    starts_first: into === 'empty' ? neededToRestore(spec, component) : [],
    replaces,
    empties,
    keeps: volumesOf(spec).filter((name) => !replaces.includes(name) && !empties.includes(name)),
  };
  return {
    backup_id: row.id,
    instance_id: instanceId,
    instance_uid: row.instance_uid,
    ...facts,
    warnings: warningsOf(into, spec, able, wished),
    summary: summaryOf(facts, component),
  };
}

type Facts = Pick<RestorePlan, 'into' | 'reason' | 'stops' | 'starts_first' | 'replaces' | 'empties' | 'keeps'>;

function reasonOf({ spec, able, wished }: PlannedRestore): string {
  if (wished === 'running') return 'It was asked for.';
  if (spec.backup.restore_reason !== undefined) return spec.backup.restore_reason;
  if (spec.backup.restore_into === 'running') return `The template ${spec.slug} ${spec.version} says so.`;
  if (!able && restoresIntoOn(spec, true) === 'empty')
    return 'The daemon of the server would empty volumes that no dump rebuilds; update it.';
  return `The application creates its database in version ${spec.version} of the template ${spec.slug}; newer versions restore before it starts.`;
}

function warningsOf(
  into: RestoresInto | null,
  { backup }: Canonical,
  able: boolean,
  wished: RestoresInto | undefined,
): string[] {
  const warnings: string[] = [];
  if (into !== null && !able && backup.restore_into === undefined)
    warnings.push(
      'The daemon of the server restores as the manifest of the last deployment says. If that was before an update of the service, it reads the dump as the application runs. Update the daemon first.',
    );
  if (into === 'empty' && wished === 'empty' && backup.restore_into === 'running')
    warnings.push('The template says that the application must run for it.');
  return warnings;
}

function volumesOf({ components }: Canonical): string[] {
  const mounts = Object.values(components).flatMap(({ storage }) => storage);
  return [...new Set(mounts.flatMap(({ name, host_path }) => (host_path === undefined ? name : [])))];
}

/** The dumped component, what restore_needs names, and all that these depend on. */
function neededToRestore({ components, backup }: Canonical, component: string): string[] {
  const found = new Set([component, ...(backup.restore_needs ?? [])]);
  // Iterating a set also visits elements added meanwhile.
  for (const name of found) for (const other of Object.keys(components[name]?.depends_on ?? {})) found.add(other);
  return [...found];
}

function summaryOf({ into, reason, stops, starts_first, replaces, empties, keeps }: Facts, component: string): string {
  const copies = replaces.length === 0 ? '' : `${listed('volume', replaces)} replaced by the copies of the backup. `;
  const stop = `Everything stops (${stops.join(', ')}). `;
  const stay = keeps.length === 0 ? '' : ` ${listed('volume', keeps)} kept.`;
  switch (into) {
    case null:
      return `${stop}${copies}Then it starts again.${stay}`;
    case 'empty': {
      const emptied = empties.length === 0 ? '' : `${listed('volume', empties)} emptied. `;
      const first = starts_first.join(', ');
      return `${stop}${copies}${emptied}Only ${first} start${starts_first.length === 1 ? 's' : ''}, ${component} reads the dump, then the rest starts.${stay}`;
    }
    case 'running': {
      const saved = 'Everything stops briefly while the current data is saved. ';
      const before = stops.length === 0 ? saved : `${stop}${copies}It starts again. `;
      return `${before}${component} reads the dump while the application runs, which is not restarted; newer data may stay. ${reason}${stay}`;
    }
  }
}

const listed = (what: string, names: readonly string[]): string =>
  names.length === 1 ? `The ${what} ${names[0]} is` : `The ${what}s ${names.join(', ')} are`;
