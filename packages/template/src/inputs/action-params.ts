import type { InputValue } from '@hortus/contract/template/inputs';
import type { CanonicalAction } from '../canonical/canonical-form.ts';
import { type Filled, fill } from '../interpolation/fill.ts';
import { parseText } from '../interpolation/text.ts';
import type { Problem } from '../problem.ts';
import { KINDS } from './kinds.ts';
import { beyondTotal, firstBeyondTotal } from './total-length.ts';

export type ParamCheck = { ok: true; values: Record<string, InputValue> } | { ok: false; problems: Problem[] };

/** Checks the params of one execution: converts them to their types and fills in defaults. */
export function checkParams(params: CanonicalAction['params'], input: unknown): ParamCheck {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { ok: false, problems: [{ field: 'params', message: 'must be an object' }] };
  }
  const problems: Problem[] = [];
  const values: Record<string, InputValue> = {};
  const fail = (name: string, message: string) => problems.push({ field: `params.${name}`, message });
  const known = new Set(params.map(({ name }) => name));
  for (const name of Object.keys(input)) {
    if (!known.has(name)) fail(name, 'is not a param of this action');
  }
  for (const param of params) {
    const value =
      (Object.hasOwn(input, param.name) ? (input as Record<string, unknown>)[param.name] : null) ?? param.default;
    if (value === undefined) {
      if (param.required) fail(param.name, 'is required');
      continue;
    }
    const outcome = KINDS[param.type](param)(value);
    if ('wrong' in outcome) fail(param.name, outcome.wrong);
    else values[param.name] = outcome.value;
  }
  const names = params.map(({ name }) => name);
  const beyond = problems.length === 0 ? firstBeyondTotal(values, names) : undefined;
  if (beyond !== undefined) fail(beyond, beyondTotal('params'));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, values };
}

type Values = Readonly<Record<string, InputValue>>;

/** Fills `${params.x}` in a text of a resolved action; other references stay. */
export function fillParams(text: string, values: Values): string {
  return filled(text, values).text ?? '';
}

/** Fills the argv of one execution. A value never leaves its argument; `${params.x:+…}` can omit one. */
export function fillArguments(argv: readonly string[], values: Values): string[] {
  return argv.flatMap((argument) => {
    const { text, omitted } = filled(argument, values);
    return omitted ? [] : [text ?? ''];
  });
}

function filled(text: string, values: Values): Filled {
  return fill(parseText(text), {
    find: ({ names: [name = ''] }) => ({
      value: Object.hasOwn(values, name) ? values[name] : undefined,
      secret: false,
    }),
    leaves: ({ namespace }) => namespace !== 'params',
    saltFor: ({ names }) => `params.${names.join('.')}`,
  });
}
