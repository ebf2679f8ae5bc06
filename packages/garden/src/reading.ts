import { checkSchema } from '@hortus/template/schema/schema-check';
import { pathText } from '@hortus/template/source/finding';
import { parse } from '@hortus/template/source/parse';
import { Garden } from './format.ts';
import { findNeedsProblems } from './order.ts';
import { eachValue, isMixed } from './references.ts';
import type { Problem } from './secret-places.ts';

/** Longest text of a garden, in characters. */
export const MAX_GARDEN_LENGTH = 1_048_576;
/** Problems shown at once: authors fix a few at a time. */
export const MAX_PROBLEMS = 20;

/** A problem with its place in the text; both are 1 for a garden that came as data. */
interface PlacedProblem extends Problem {
  readonly line: number;
  readonly column: number;
}

export type Read =
  | { readonly garden: Garden; readonly problems: readonly [] }
  | { readonly garden: undefined; readonly problems: readonly PlacedProblem[] };

/** Reads a garden with the limits of templates (depth, aliases) and reports all problems at once. */
export function readGarden(text: string): Read {
  if (text.length > MAX_GARDEN_LENGTH) {
    const message = `must have at most ${MAX_GARDEN_LENGTH} characters`;
    return { garden: undefined, problems: [{ field: '', message, line: 1, column: 1 }] };
  }
  const parsed = parse(text);
  if (parsed.value === undefined || parsed.findings.length > 0) {
    const problems = parsed.findings
      .slice(0, MAX_PROBLEMS)
      .map(({ path, message, line, column }) => ({ ...shown(path, message), line, column }));
    const empty = { field: '', message: 'is empty; a garden has at least a name', line: 1, column: 1 };
    return { garden: undefined, problems: problems.length > 0 ? problems : [empty] };
  }
  return checkGarden(parsed.value, (path, atKey) => parsed.positionOf(path, atKey));
}

type Path = readonly (string | number)[];

/** Sections with passwords, tokens and addresses that are secrets. */
const secretSections: ReadonlySet<unknown> = new Set(['registries', 'channels', 'webhooks']);

/** A value of the wrong type that is written there is not repeated: problems reach events and the forge. */
const mayBeSecret = (path: Path): boolean => secretSections.has(path[0]) && path.length > 2;

const MAX_FIELD_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 500;

/** Makes a problem presentable: keys of the file are part of it, and they may be long and have invisible characters. */
const shown = (field: string, message: string): Problem => ({
  field: visible(field, MAX_FIELD_LENGTH),
  message: visible(message, MAX_MESSAGE_LENGTH),
});

function visible(text: string, max: number): string {
  const cut = text.length > max ? `${text.slice(0, max - 1)}…` : text;
  return cut.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

const nowhere = () => ({ line: 1, column: 1 });

/** Checks a garden that was already parsed. */
export function checkGarden(
  value: unknown,
  positionOf: (path: Path, atKey?: boolean) => { line: number; column: number } = nowhere,
): Read {
  const remarks = checkSchema(Garden, value).map(({ path, message, suggestion, atKey = false }) => {
    const about = mayBeSecret(path) ? message.replace(/, not .*$/s, '') : message;
    return { path, message: suggestion === undefined ? about : `${about}; ${suggestion}`, atKey };
  });
  const found = remarks.length > 0 ? remarks : rulesOf(value as Garden);
  if (found.length === 0) return { garden: value as Garden, problems: [] };
  const problems = found
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message, atKey }) => ({ ...shown(pathText(path), message), ...positionOf(path, atKey) }));
  return { garden: undefined, problems };
}

interface Remark {
  readonly path: Path;
  readonly message: string;
  readonly atKey: boolean;
}

/** Checks what a schema cannot say: alternatives, references inside texts, and needs. */
function rulesOf(garden: Garden): Remark[] {
  const found: Remark[] = [];
  const report = (path: Path, message: string, atKey = false) => found.push({ path, message, atKey });
  eachValue(garden, (value, path) => {
    if (isMixed(value)) report(path, 'a reference must be the whole value, such as ${env.NAME} or ${file:path}');
  });
  const templates = new Set(garden.templates);
  for (const [uid, definition] of Object.entries(garden.definitions ?? {})) {
    const at = ['definitions', uid] as const;
    const { species, template, server, placement, tenant } = definition;
    if ((species === undefined) === (template === undefined)) report(at, 'give species or template, one of them', true);
    if (template !== undefined && !templates.has(template))
      report([...at, 'template'], `is not listed in templates; add ${template} there`);
    if (server !== undefined && placement !== undefined)
      report([...at, 'placement'], 'cannot be given together with server');
    if (server === undefined && placement === undefined && tenant === undefined)
      report(at, 'give server, placement or tenant, so that it is known where it runs', true);
  }
  for (const [name, { channels = [] }] of Object.entries(garden.rules ?? {}))
    if (new Set(channels).size < channels.length) report(['rules', name, 'channels'], 'names a channel twice');
  for (const { uid, message } of findNeedsProblems(garden)) report(['definitions', uid, 'needs'], message);
  return found;
}
