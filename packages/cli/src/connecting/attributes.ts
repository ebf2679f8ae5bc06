import { connectionClasses, isSecretAttribute } from '@hortus/contract/resources/connection-classes';
import { Failure } from '../failure.ts';
import type { World } from '../world.ts';

/** Asks for required attributes and secrets of a known class that were not given; secrets may be left empty. */
export async function missingAttributes(
  { terminal }: World,
  className: string,
  given: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const known = Object.hasOwn(connectionClasses, className) ? connectionClasses[className] : undefined;
  const values = { ...given };
  const missing = Object.entries(known?.attributes ?? {}).filter(([name]) => !Object.hasOwn(given, name));
  if (terminal.interactive) {
    for (const [name, { label, required, secret, placeholder }] of missing) {
      if (name === 'url' ? !required : !required && !secret) continue;
      const example = placeholder === undefined ? '' : `, such as ${placeholder}`;
      const kind = secret ? ' (not shown; empty for none)' : '';
      const answer = await terminal.ask(`${label} (${name})${example}${kind}: `, { hidden: secret === true });
      if (answer !== '') values[name] = answer;
    }
  }
  const lacking = missing.filter(([name, { required }]) => required && !Object.hasOwn(values, name));
  if (lacking.length > 0)
    throw new Failure('usage', `Missing attributes: ${lacking.map(([name]) => name).join(', ')}.`, {
      hint: `Use --set ${lacking[0]?.[0]}=value, or --set-file for a secret.`,
    });
  return values;
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
