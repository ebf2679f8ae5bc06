import { connectionClasses } from '@hortus/contract/resources/connection-classes';
import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import { invalid } from '../../problem.ts';

/** Refuses attributes that do not fit the class. `values` are all values after the change. */
export function checkAttributes(className: string, values: ReadonlyMap<string, string>): void {
  const field = (name: string) => `attributes.${name}`;
  const port = values.get('port');
  if (port !== undefined && !(/^[0-9]{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    throw invalid(field('port'), 'must be a number between 1 and 65535.');
  for (const [name, value] of values)
    if (hasControlCharacters(value)) throw invalid(field(name), 'must not contain line breaks or control characters.');
  const known = Object.hasOwn(connectionClasses, className) ? connectionClasses[className] : undefined;
  if (known === undefined) return;
  for (const [name, value] of values) {
    const attribute = Object.hasOwn(known.attributes, name) ? known.attributes[name] : undefined;
    if (attribute === undefined)
      throw invalid(
        field(name),
        `is unknown; the class ${className} has ${Object.keys(known.attributes).join(', ')}.`,
        { reason: 'unknown' },
      );
    if (attribute.options && !attribute.options.includes(value))
      throw invalid(field(name), `must be one of ${attribute.options.join(', ')}.`);
  }
  for (const [name, { required }] of Object.entries(known.attributes))
    if (required && !values.has(name)) throw invalid(field(name), 'is required.', { reason: 'required' });
}

/** They would end a line of a configuration file or a header. */
const hasControlCharacters = (text: string): boolean =>
  [...text].some((character) => character < ' ' || character === '\u007f');

const schemes: Readonly<Record<string, { readonly scheme: string; readonly path?: string }>> = {
  'email.smtp': { scheme: 'smtp' },
  'database.postgres': { scheme: 'postgres', path: 'database' },
  'database.mysql': { scheme: 'mysql', path: 'database' },
  'database.mongodb': { scheme: 'mongodb', path: 'database' },
  'cache.redis': { scheme: 'redis' },
  'queue.mqtt': { scheme: 'mqtt' },
  'queue.amqp': { scheme: 'amqp', path: 'vhost' },
};

/** Builds attributes that templates may use and that were not given: `url` from its parts, `discovery_url` from the issuer. */
export function derivedAttributes(className: string, values: Readonly<Record<string, string>>): Record<string, string> {
  const { url = derivedUrl(className, values), discovery_url = derivedDiscovery(className, values) } = values;
  return { ...(url !== undefined && { url }), ...(discovery_url !== undefined && { discovery_url }) };
}

/** Providers differ in whether their issuer ends with a slash, and few answer at an address with two. */
const derivedDiscovery = (className: string, { issuer }: Readonly<Record<string, string>>): string | undefined =>
  className === 'identity.oidc' && issuer !== undefined
    ? `${withoutTrailing(issuer, '/')}/.well-known/openid-configuration`
    : undefined;

/** Undefined for classes without a usual form. */
function derivedUrl(className: string, values: Readonly<Record<string, string>>): string | undefined {
  const form = Object.hasOwn(schemes, className) ? schemes[className] : undefined;
  const { host, port, username = '', password } = values;
  if (form === undefined || host === undefined || port === undefined) return undefined;
  const encoded = encodeURIComponent;
  const user =
    password === undefined
      ? username === ''
        ? ''
        : `${encoded(username)}@`
      : `${encoded(username)}:${encoded(password)}@`;
  const part = form.path === undefined ? undefined : values[form.path];
  // An IPv6 address needs brackets.
  const at = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return `${form.scheme}://${user}${at}:${port}${part === undefined ? '' : `/${encoded(part)}`}`;
}
