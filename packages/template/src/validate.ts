import { Template } from '@hortus/contract/template/schema';
import { canonical } from './canonical/canonical.ts';
import { RUN_KEYS, SOLE_COMPONENT } from './canonical/expand.ts';
import { RULES } from './rules/all.ts';
import { checkProfiles } from './rules/profiles.ts';
import { checkStops } from './rules/stops.ts';
import { prune } from './schema/prune.ts';
import { checkSchema, isMapping } from './schema/schema-check.ts';
import { error, type Finding, type Path, pathText, type Remark } from './source/finding.ts';
import { type Parsed, parse } from './source/parse.ts';

export interface Validation {
  /** Present only if there are no errors; warnings are allowed. */
  template?: Template;
  /** In the order of the source. */
  findings: Finding[];
}

/** Codes of findings that may be consequences of pruning, which can remove a name; these are not reported. */
const FOLLOWS = /^(unknown-|unused|unreachable|no-|condition|cycle|default-variant|permission)/;
/** Sections and keys of a component that define names which other parts of a template use. */
const NAMING = new Set(
  'components inputs secrets vars routes actions needs image kind run storage ports healthcheck'.split(' '),
);
const MAX_PRUNINGS = 8;
/** Limit of remarks of one rule; each may cost a search for the intended word. */
const MAX_REMARKS = 500;

/** Reports everything that is wrong with a template, with positions. Never throws. */
export function validate(source: string | Parsed, file?: string): Validation {
  const parsed = typeof source === 'string' ? parse(source, file) : source;
  const { value } = parsed;
  if (value === undefined) return { findings: inOrder(parsed.findings) };
  const shape = checkSchema(Template, value);
  const remarks = [...shape, ...(isMapping(value) ? besideComponents(value) : []), ...meaning(value, shape)];
  const findings = [...parsed.findings, ...remarks.map((remark) => place(remark, parsed, file))];
  const valid = findings.every(({ severity }) => severity !== 'error');
  return { findings: inOrder(findings), ...(valid ? { template: value as Template } : {}) };
}

/** Applies the rules; for a template that does not fit the schema, to the part that does. */
function meaning(value: unknown, shape: readonly Remark[]): Remark[] {
  let fitting = value;
  let remaining = shape;
  for (let pruning = 0; remaining.length > 0; pruning++) {
    if (pruning === MAX_PRUNINGS) return [];
    fitting = prune(fitting, remaining);
    remaining = checkSchema(Template, fitting);
  }
  const template = fitting as Template;
  const spec = canonical(template);
  const remarks = RULES.flatMap((rule) => [...firstOf(rule(spec))]);
  const own = [...remarks];
  remarks.push(...checkProfiles(template, own), ...checkStops(template, own));
  const harmless = shape.every(({ code, path }) => code === 'unknown-key' || !takesNamesOut(path));
  return harmless ? remarks : remarks.filter(({ code }) => !FOLLOWS.test(code));
}

function* firstOf(remarks: Iterable<Remark>): Generator<Remark> {
  let count = 0;
  for (const remark of remarks) {
    if (count++ === MAX_REMARKS) return;
    yield remark;
  }
}

function takesNamesOut(path: Path): boolean {
  const [section, , key] = path;
  if (section === 'components' && key !== undefined) return NAMING.has(String(key));
  return section === undefined || NAMING.has(String(section));
}

function besideComponents(value: Record<string, unknown>): Remark[] {
  if (!Object.hasOwn(value, 'components')) return [];
  return Object.keys(value)
    .filter((key) => RUN_KEYS.has(key))
    .map((key) => {
      const message = `${key} at the top level describes the only component; it is not allowed together with components`;
      return { ...error('misplaced', [key], message, 'move it into the component'), atKey: true };
    });
}

/** Adds the position in the text to a remark. */
export function place(remark: Remark, parsed: Parsed, file: string | undefined): Finding {
  const { severity, code, message, suggestion, atKey, within } = remark;
  const path = asWritten(remark.path, parsed.value);
  return {
    severity,
    code,
    path: pathText(path),
    ...parsed.positionOf(path, atKey, within),
    message,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(file === undefined ? {} : { file }),
  };
}

/** Rules see the component `main`; a template without components declares it at its top level, also in profiles. */
function asWritten(path: Path, value: unknown): Path {
  if (!isMapping(value) || Object.hasOwn(value, 'components')) return path;
  const at = path[0] === 'profiles' ? 2 : 0;
  if (path[at] !== 'components' || path[at + 1] !== SOLE_COMPONENT) return path;
  return [...path.slice(0, at), ...path.slice(at + 2)];
}

function inOrder(findings: Finding[]): Finding[] {
  return findings.sort((a, b) => a.line - b.line || a.column - b.column || a.path.localeCompare(b.path));
}
