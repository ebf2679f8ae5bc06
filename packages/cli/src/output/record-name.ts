import type { IdKind } from '@hortus/contract/records/ids';
import { idPrefixes } from '@hortus/contract/records/names';

type Fields = Readonly<Record<string, unknown>>;

/** Field with the word that commands accept for a record; others are called by their id. */
const named: Partial<Record<IdKind, string>> = {
  template: 'species',
  definition: 'instance_uid',
  instance: 'instance_uid',
  server: 'name',
  garden: 'name',
  gardenCommit: 'sha',
  registry: 'host',
  tenant: 'slug',
  webhook: 'url',
  config: 'name',
  upgrade: 'instance_name',
  key: 'name',
  user: 'email',
  channel: 'name',
  rule: 'name',
};
const fieldOfPrefix: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(named).map(([kind, field]) => [idPrefixes[kind as IdKind], field]),
);

/** Returns the word by which commands find the record, for -o name. */
export function handleOf(record: unknown): string {
  if (typeof record !== 'object' || record === null) return String(record);
  const { id, slug, name } = record as Fields;
  const own = typeof id === 'string' ? (record as Fields)[fieldOfPrefix[id.slice(0, 3)] ?? 'id'] : undefined;
  return String(own ?? id ?? slug ?? name ?? '');
}
