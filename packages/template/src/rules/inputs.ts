import type { Canonical } from '../canonical/canonical-form.ts';
import { findCycle } from '../canonical/start-order.ts';
import { KINDS, type Question } from '../inputs/kinds.ts';
import { unsafePattern } from '../inputs/pattern.ts';
import { references } from '../interpolation/text.ts';
import { didYouMean } from '../schema/nearest.ts';
import { looksSecret } from '../secrets/secret-name.ts';
import { error, type Path, type Remark, warning } from '../source/finding.ts';
import type { Rule } from './rule.ts';

const NUMERIC = new Set(['number', 'integer', 'port']);

type Placed = [path: Path, input: Canonical['inputs']['required'][number], required: boolean];

export const inputs: Rule = function* (spec) {
  const placed: Placed[] = [
    ...spec.inputs.required.map((input, i): Placed => [['inputs', 'required', i], input, true]),
    ...spec.inputs.optional.map((input, i): Placed => [['inputs', 'optional', i], input, false]),
  ];
  const byName = new Map(placed.map(([, input]) => [input.name, input]));
  const seen = new Set(Object.keys(spec.secrets));
  for (const [path, input, required] of placed) {
    if (seen.has(input.name))
      yield error('duplicate', [...path, 'name'], `another input or secret has the name ${input.name}`);
    seen.add(input.name);
    yield* question(input, path);
    if (required && input.default !== undefined) {
      yield warning(
        'required-with-default',
        [...path, 'default'],
        'a required input needs no default; make it optional',
      );
    }
    if ((input.type === 'string' || input.type === 'text') && looksSecret(input.name)) {
      yield warning(
        'plain-secret',
        [...path, 'type'],
        `${input.name} looks like a secret and would be stored and shown in plain text`,
        'use type password',
      );
    }
    for (const other of Object.keys(input.when ?? {})) {
      if (byName.has(other)) continue;
      yield error(
        'unknown-input',
        [...path, 'when', other],
        `there is no input ${other}`,
        didYouMean(other, byName.keys()),
      );
    }
  }
  const cycle = findCycle(byName.keys(), (name) => Object.keys(byName.get(name)?.when ?? {}));
  if (cycle !== undefined) yield error('cycle', ['inputs'], `the conditions form a cycle: ${cycle.join(' → ')}`);
};

/** Checks what inputs of a template and params of an action have in common. */
export function* question(asked: Question, path: Path): Generator<Remark> {
  const { type, options, pattern, min, max, default: standard } = asked;
  if (type === 'enum' && (options ?? []).length === 0) {
    yield error('no-options', path, `${asked.name} is an enum without options`);
    return;
  }
  if (type !== 'enum' && options !== undefined) {
    yield error('misplaced', [...path, 'options'], `options belong to an enum, not to a ${type}`);
  }
  if (min !== undefined && max !== undefined && min > max)
    yield error('range', [...path, 'min'], 'min is greater than max');
  if (pattern !== undefined) {
    const mistake = NUMERIC.has(type) || type === 'boolean' ? `does not apply to a ${type}` : unsafePattern(pattern);
    if (mistake !== undefined) {
      yield error('pattern', [...path, 'pattern'], `the pattern ${mistake}`);
      return;
    }
  }
  if (standard === undefined) return;
  const outcome = KINDS[type](asked)(standard);
  if ('wrong' in outcome) yield error('default', [...path, 'default'], `the default ${outcome.wrong}`);
  else if (outcome.value !== standard)
    yield error('default', [...path, 'default'], `write the default as ${JSON.stringify(outcome.value)}`);
  if (type === 'password') {
    yield warning(
      'known-password',
      [...path, 'default'],
      'a default password is publicly known',
      'generate a secret instead',
    );
  }
  if (typeof standard === 'string' && references(standard).length > 0) {
    yield error('not-filled', [...path, 'default'], 'a default is taken literally; ${…} is not filled in it');
  }
}
