import { connectionClasses, isSecretAttribute } from '@hortus/contract/resources/connection-classes';
import type { Canonical } from '../canonical/canonical-form.ts';
import { parseText, type Reference, type Segment } from '../interpolation/text.ts';
import { looksSecret } from '../secrets/secret-name.ts';
import { error, type Path, pathText, type Remark } from '../source/finding.ts';
import type { Rule } from './rule.ts';
import { textsOf } from './texts.ts';

const HINT = 'use it in env, command, files or a health check';

/**
 * Refuses templates that copy a secret into a place that lists, plans and reports show. A place counts as shown unless
 * it is known to be hidden, so that a new field of the format is covered from the start.
 */
export const shownSecrets: Rule = function* (spec) {
  const secretIn = secretsOf(spec);
  for (const { path, text } of textsOf(spec)) {
    if (isHidden(path)) continue;
    const reference = secretIn(text);
    if (reference === undefined) continue;
    const within = text.slice(reference.start, reference.end).split('\n', 1)[0] ?? '';
    yield { ...shown(path, `\${${nameOf(reference)}} is a secret, and ${pathText(path)} is shown`), within };
  }
  yield* conditions(spec);
};

const shown = (path: Path, message: string): Remark => error('shown-secret', path, message, HINT);

const nameOf = ({ namespace, names }: Reference): string => `${namespace}.${names.join('.')}`;

/** Parts of a component whose filled texts are sealed on their way and never shown. */
const HIDDEN_OF_COMPONENT = new Set(['env', 'entrypoint', 'command', 'healthcheck']);
const HIDDEN_OF_ACTION = new Set(['env', 'command', 'http']);

/** Tells whether the value of a text is only for the containers. */
function isHidden([section, , key, , field]: Path): boolean {
  switch (section) {
    // What is provided goes to the containers of others; `vars` count where they are used.
    case 'vars':
    case 'smoke':
    case 'provides':
      return true;
    case 'components':
      return HIDDEN_OF_COMPONENT.has(String(key)) || (key === 'files' && field === 'content');
    case 'actions':
      return HIDDEN_OF_ACTION.has(String(key));
    default:
      return false;
  }
}

/** Whether an input is asked for tells what the value of another one is. */
function* conditions(spec: Canonical): Generator<Remark> {
  for (const list of ['required', 'optional'] as const)
    for (const [index, { when = {} }] of spec.inputs[list].entries())
      for (const name of Object.keys(when)) {
        if (!isSecretInput(spec, name)) continue;
        const path = ['inputs', list, index, 'when', name];
        yield {
          ...shown(path, `${name} is a secret, and whether this input is asked for shows its value`),
          atKey: true,
        };
      }
}

/** A generated port is found by every scan of the server, and made to be published. */
const holdsHidden = ({ secrets }: Canonical, name: string): boolean =>
  Object.hasOwn(secrets, name) && secrets[name]?.generate !== 'port';

const isSecretInput = ({ inputs, secrets }: Canonical, name: string): boolean =>
  Object.hasOwn(secrets, name) ||
  [...inputs.required, ...inputs.optional].some((input) => input.name === name && input.type === 'password');

/** An attribute of a class that is not listed is judged by its name: most addresses contain no password. */
const holdsSecret = (className: string, attribute: string): boolean =>
  Object.hasOwn(connectionClasses, className)
    ? isSecretAttribute(className, attribute)
    : looksSecret(attribute) || attribute === 'key';

/** Returns a search for the first reference of a text that inserts a secret, also by way of `vars` and routes. */
function secretsOf(spec: Canonical): (text: string) => Reference | undefined {
  const found = new Map<string, Reference | undefined>();
  const inText = (text: string) => inSegments(parseText(text).segments);
  const inSegments = (segments: readonly Segment[]): Reference | undefined => {
    for (const segment of segments) {
      if (typeof segment === 'string') continue;
      // `:+` tells only that there is a value.
      const own = segment.operator !== ':+' && isSecret(segment) ? segment : undefined;
      if (own ?? inSegments(segment.operand)) return segment;
    }
    return undefined;
  };
  /** Remembers texts by name, which also ends cycles: those are another finding. */
  const inNamed = (name: string, text: string | undefined): boolean => {
    if (text === undefined) return false;
    if (!found.has(name)) {
      found.set(name, undefined);
      found.set(name, inText(text));
    }
    return found.get(name) !== undefined;
  };
  const isSecret = ({ namespace, names: [name = '', field = ''] }: Reference): boolean => {
    switch (namespace) {
      case 'secrets':
        return field !== 'public' && holdsHidden(spec, name);
      case 'inputs':
        return isSecretInput(spec, name);
      case 'vars':
        return inNamed(`vars.${name}`, Object.hasOwn(spec.vars, name) ? spec.vars[name] : undefined);
      case 'routes': {
        const route = field === 'scheme' ? undefined : spec.routes.find((candidate) => candidate.name === name);
        return inNamed(`routes.${name}`, route && route.host + route.path);
      }
      case 'needs': {
        const need = spec.needs.find(({ as }) => as === name);
        return need !== undefined && holdsSecret(need.class, field);
      }
      default:
        return false;
    }
  };
  return inText;
}
