import {
  connectionClasses,
  isAddressAttribute,
  isSecretAttribute,
} from '@hortus/contract/resources/connection-classes';
import type { Connection } from '@hortus/contract/resources/connections';
import { secretsAgain } from '@hortus/contract/runtime/secrets-again';
import { Failure } from '../failure.ts';
import type { World } from '../world/world.ts';

/** Asks for required attributes and secrets of a known class that were not given; secrets may be left empty. */
export async function missingAttributes(
  { terminal }: World,
  className: string,
  input: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const known = Object.hasOwn(connectionClasses, className) ? connectionClasses[className] : undefined;
  const values = { ...input };
  const missing = Object.entries(known?.attributes ?? {}).filter(([name]) => !Object.hasOwn(input, name));
  if (terminal.interactive) {
    for (const [name, { label, required, secret, placeholder }] of missing) {
      if (name === 'url' ? !required : !required && !secret) continue;
      const example = placeholder === undefined ? '' : `, such as ${placeholder}`;
      const kind = secret ? ' (not shown; empty for none)' : '';
      const reply = await terminal.ask(`${label} (${name})${example}${kind}: `, { hidden: secret === true });
      if (reply !== '') values[name] = reply;
    }
  }
  const lacking = missing.filter(([name, { required }]) => required && !Object.hasOwn(values, name));
  if (lacking.length > 0)
    throw new Failure('usage', `Missing attributes: ${lacking.map(([name]) => name).join(', ')}.`, {
      hint: `Use --set ${lacking[0]?.[0]}=value, or --set-file for a secret.`,
    });
  return values;
}

/** Asks for stored secrets that the service requires again, because the changes decide where they are sent. */
export async function repeatedSecrets(
  { terminal }: World,
  { attributes, secret_attributes: stored }: Pick<Connection, 'attributes' | 'secret_attributes'>,
  changes: Record<string, string | null>,
): Promise<void> {
  const changed = Object.keys(changes).filter(
    (name) => isAddressAttribute(name) && (changes[name] ?? undefined) !== attributes[name],
  );
  const missing = secretsAgain({ changed, stored, input: Object.keys(changes) });
  if (missing.length === 0) return;
  if (!terminal.interactive)
    throw new Failure(
      'usage',
      `${missing.join(', ')} must be given again: ${changed.join(', ')} changes where it is sent.`,
      {
        hint: `Use --set-file ${missing[0]}=path, or --unset ${missing[0]}.`,
      },
    );
  for (const name of missing)
    changes[name] = await terminal.ask(`${name}, which is sent to the new address (not shown): `, { hidden: true });
}

/** Warns of secrets on the command line, where every user of the machine can read them. */
export function noteExposed({ terminal }: World, className: string, set: readonly string[]): void {
  for (const text of set) {
    const name = text.slice(0, text.indexOf('='));
    if (isSecretAttribute(className, name))
      terminal.note(
        `Other users of this machine can see ${name} on the command line; use --set-file ${name}=path instead.\n`,
      );
  }
}
