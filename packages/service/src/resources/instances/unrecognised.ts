import { Instance, ReportedInstance } from '@hortus/contract/resources/instance-records';
import type { Unrecognised } from '@hortus/contract/resources/instances';

/** Limit of entries in the response to one report: a daemon of another version repeats a field in each of its instances. */
export const MAX_UNRECOGNISED = 100;

/** Fields that a report may have; those of a record that was read and is sent back are ignored without a word. */
const known: ReadonlySet<string> = new Set([
  ...Object.keys(ReportedInstance.properties),
  ...Object.keys(Instance.properties),
]);

/** Longest part of a name that is repeated to the caller. */
const MAX_NAME_LENGTH = 128;

const identifiers = ['id', 'definition_id', 'instance_uid', 'container_name'] as const;

/** Explains an entry that matches no instance. */
export function unmatched(entry: number, facts: ReportedInstance): Unrecognised {
  const field = identifiers.find((name) => facts[name]);
  if (field === undefined)
    return { entry, field: 'id', message: `names no instance; give one of ${identifiers.join(', ')}.` };
  return { entry, field, message: `no instance of the caller that is not released has the ${field} ${facts[field]}.` };
}

/** Lists the fields of a report that were ignored. */
export function* ignoredFields(entry: number, facts: ReportedInstance): Generator<Unrecognised> {
  for (const field in facts)
    if (!known.has(field))
      yield {
        entry,
        field: field.slice(0, MAX_NAME_LENGTH),
        message: 'is no field of a reported instance and was ignored.',
      };
}
