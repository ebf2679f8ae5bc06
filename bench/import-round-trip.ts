import type { Input, InputValue } from '@hortus/contract/template/inputs';
import type { Template } from '@hortus/contract/template/schema';
import { canonical } from '@hortus/template/canonical/canonical';
import { exportCompose } from '@hortus/template/compose/export/export-compose';
import { Agreement, differences, hole } from './import-compare.ts';
import { parseCompose, readServices, valuesOf } from './import-reading.ts';

/** Finds the component of a service by its network alias or its own name. */
export function componentOf(template: Template, service: string): string | undefined {
  const components = Object.entries(template.components ?? {});
  const plain = service.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return (
    components.find(([, { aliases }]) => aliases?.[0] === service)?.[0] ??
    components.find(([name]) => name === plain)?.[0] ??
    (components.length === 1 ? components[0]?.[0] : undefined)
  );
}

/** Lists the differences between the original and the exported import with the same values. */
export async function roundTrip(
  original: Record<string, unknown>,
  template: Template,
  files: (path: string) => string | undefined,
): Promise<string[]> {
  const asked = [...(template.inputs?.required ?? []), ...(template.inputs?.optional ?? [])];
  const chosen = Object.fromEntries(
    asked.filter((input) => input.default === undefined).map((input, index) => [input.name, valueFor(input, index)]),
  );
  const secrets: Record<string, string> = {};
  for (const [name, secret] of Object.entries(template.secrets ?? {})) {
    if (secret.external) chosen[name] = `secret-${name}-token`;
    else if (secret.generate !== 'jwt') secrets[name] = `secret${name}token`;
  }
  const exported = await exportCompose(canonical(template), { inputs: chosen, secrets });
  if (!exported.ok) return exported.problems.map(({ field, message }) => `${field} ${message}`);

  const defaults = new Set(asked.filter((input) => input.default !== undefined).map(({ name }) => name));
  const withDefault = variablesWithDefault(original);
  const around = valuesOf(files('.env'));
  const before = readServices(original, (name) => {
    if (Object.hasOwn(chosen, name)) return String(chosen[name]);
    if (Object.hasOwn(secrets, name)) return `${markOf(template, name)}${secrets[name]}`;
    if (around(name) !== undefined) return around(name);
    if (defaults.has(name) || withDefault.has(name)) return undefined;
    // What the import makes itself may have any value; what it does not know must not match anything.
    return /^SERVICE_[A-Z0-9]+_/.test(name) ? hole(name) : `unknown variable ${name}`;
  });
  const after = readServices(parseCompose(exported.text), () => undefined);
  // A key of a third party in the file is an example, which the user replaces.
  const asks = asked.filter(({ type, name }) => type === 'password' && Object.hasOwn(chosen, name));
  const tokens = [...Object.values(secrets), ...asks.map(({ name }) => String(chosen[name]))];
  const agreement = new Agreement(tokens);
  const wrong: string[] = [];
  for (const [name, service] of before) {
    const component = componentOf(template, name);
    const other = after.get(name) ?? (component === undefined ? undefined : after.get(component));
    if (other === undefined) wrong.push(`the service ${name} is missing`);
    else {
      const routes = (template.routes ?? []).filter((route) => route.component === component).map(({ port }) => port);
      wrong.push(
        ...differences(service, other, new Set(routes), agreement).map((difference) => `${name}: ${difference}`),
      );
    }
  }
  if (after.size > before.size) wrong.push('a service is new');
  return wrong;
}

/** Returns the text before a generated secret that belongs to its value, such as `base64:`. */
function markOf(template: Template, secret: string): string {
  return new RegExp(`"([a-z0-9]+:)\\$\\{secrets\\.${secret}\\}"`).exec(JSON.stringify(template.components))?.[1] ?? '';
}

/** Variables with a default at every occurrence, which need no value. */
function variablesWithDefault(file: Record<string, unknown>): Set<string> {
  const text = JSON.stringify(file.services) + JSON.stringify(file.configs ?? {});
  const all = [...text.matchAll(/(?<!\$)\$\{?([A-Za-z_]\w*)(:?[-+])?/g)];
  const without = new Set(all.filter(([, , operator]) => operator === undefined).map(([, name]) => name));
  return new Set(all.flatMap(([, name = '']) => (without.has(name) ? [] : [name])));
}

function valueFor({ name, type, options }: Input, index: number): InputValue {
  const word = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  switch (type) {
    case 'integer':
    case 'number':
      return 1000 + index;
    case 'port':
      return 20_000 + index;
    case 'boolean':
      return true;
    case 'email':
      return `${word}@example.org`;
    case 'url':
      return `https://${word.slice(0, 60)}.example.org/`;
    case 'domain':
      return `${word.slice(0, 60)}.example.org`;
    case 'ip':
      return '192.0.2.1';
    case 'path':
      return `/srv/${word}`;
    case 'timezone':
      return 'Europe/Paris';
    case 'enum':
      return options?.[0]?.value ?? '';
    default:
      return `value-of-${name}`;
  }
}
