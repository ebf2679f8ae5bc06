import { type ConnectionAttribute, isAddressAttribute } from '@hortus/contract/resources/connection-classes';
import type { Connection } from '@hortus/contract/resources/connections';
import { secretsAgain } from '@hortus/contract/runtime/secrets-again';

type Fields = readonly (readonly [name: string, attribute: ConnectionAttribute])[];
type Typed = Readonly<Record<string, string>>;

/** Values of a new connection: the filled fields of its class. */
export const attributesOf = (fields: Fields, typed: Typed): Record<string, string> =>
  Object.fromEntries(fields.flatMap(([name]) => (typed[name] ? [[name, typed[name]] as const] : [])));

/** Changed values: an emptied field removes its value, an empty secret keeps it. */
export function changesOf(fields: Fields, connection: Connection, typed: Typed): Record<string, string | null> {
  const changes: Record<string, string | null> = {};
  for (const [name, { secret }] of fields) {
    const [before, now] = [connection.attributes[name] ?? '', typed[name] ?? ''];
    if (now === before || (secret && now === '')) continue;
    changes[name] = now === '' ? null : now;
  }
  return changes;
}

/** Secrets that must be typed again, because the changes decide where they are sent. */
export const typedAgain = (connection: Connection, changes: Readonly<Record<string, string | null>>): string[] =>
  secretsAgain({
    changed: Object.keys(changes).filter(isAddressAttribute),
    stored: connection.secret_attributes,
    input: Object.keys(changes),
  });
