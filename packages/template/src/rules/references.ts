import type { Canonical } from '../canonical/canonical-form.ts';
import { findCycle } from '../canonical/start-order.ts';
import {
  COMPONENT_FIELDS,
  INSTANCE_FIELDS,
  KEYPAIR_FIELDS,
  ROUTE_FIELDS,
  TEMPLATE_FIELDS,
} from '../interpolation/fields.ts';
import { parseText, type Reference, references as referencesIn } from '../interpolation/text.ts';
import { didYouMean } from '../schema/nearest.ts';
import { error, type Path, pathText, type Remark, warning } from '../source/finding.ts';
import type { Rule } from './rule.ts';
import { type PlacedText, textsOf } from './texts.ts';

export const references: Rule = function* (spec) {
  const used = new Set<string>();
  for (const input of [...spec.inputs.required, ...spec.inputs.optional]) {
    for (const other of Object.keys(input.when ?? {})) used.add(`inputs.${other}`);
  }
  for (const { signed_with } of Object.values(spec.secrets)) used.add(`secrets.${signed_with}`);
  for (const placed of textsOf(spec)) {
    for (const { offset, message } of parseText(placed.text).faults) {
      const within = placed.text.slice(offset, offset + 30).split('\n', 1)[0] ?? '';
      const hint = 'in a file, set raw: true to disable references';
      yield { ...error('interpolation', placed.path, message, hint), within };
    }
    for (const reference of referencesIn(placed.text)) {
      used.add(`${reference.namespace}.${reference.names[0]}`);
      const within = placed.text.slice(reference.start, reference.end).split('\n', 1)[0] ?? '';
      for (const remark of known(spec, placed, reference)) yield { ...remark, within };
    }
  }
  yield* unused(spec, used);
  yield* cycles(spec);
};

function* known(spec: Canonical, { path, action }: PlacedText, reference: Reference): Generator<Remark> {
  const { namespace, names } = reference;
  const [name = '', field] = names;
  const unknown = (what: string, word: string, all: Iterable<string>) =>
    error(
      'unknown-reference',
      path,
      `\${${namespace}.${names.join('.')}}: there is no ${what} ${word}`,
      didYouMean(word, all),
    );
  const inputs = [...spec.inputs.required, ...spec.inputs.optional].map((input) => input.name);
  const among = function* (what: string, all: readonly string[], fields: readonly string[], fieldNeeded: boolean) {
    if (!all.includes(name)) yield unknown(what, name, all);
    else if (field === undefined ? fieldNeeded : !fields.includes(field)) {
      yield unknown(`field of ${what} ${name} named`, field ?? '(none)', fields);
    } else if (names.length > 2) yield unknown('field', names.slice(2).join('.'), []);
  };
  switch (namespace) {
    case 'inputs':
      if (!inputs.includes(name) && reference.operator === ':-') {
        yield warning(
          'unknown-reference',
          path,
          `there is no input ${name}, so the fallback after :- always applies`,
          didYouMean(name, inputs),
        );
      } else yield* among('input', inputs, [], false);
      return;
    case 'secrets': {
      const paired = Object.hasOwn(spec.secrets, name) && spec.secrets[name]?.generate === 'keypair';
      yield* among('secret', Object.keys(spec.secrets), paired ? KEYPAIR_FIELDS : [], false);
      return;
    }
    case 'vars':
      yield* among('var', Object.keys(spec.vars), [], false);
      return;
    case 'routes':
      yield* among(
        'route',
        spec.routes.map((route) => route.name),
        ROUTE_FIELDS,
        true,
      );
      return;
    case 'components':
      yield* among('component', Object.keys(spec.components), COMPONENT_FIELDS, true);
      return;
    case 'needs':
      yield* among(
        'need',
        spec.needs.map((need) => need.as),
        field === undefined ? [] : [field],
        true,
      );
      return;
    case 'instance':
      yield* among('field of an instance named', INSTANCE_FIELDS, [], false);
      return;
    case 'template':
      yield* among('field of a template named', TEMPLATE_FIELDS, [], false);
      return;
    case 'params':
      yield* param(path, action, reference);
  }
}

function* param(path: Path, action: PlacedText['action'], reference: Reference): Generator<Remark> {
  const [name = ''] = reference.names;
  if (action === undefined) {
    yield error('unknown-reference', path, `\${params.${name}} is only available inside an action`);
    return;
  }
  const all = action.params.map((param) => param.name);
  if (!all.includes(name) || reference.names.length > 1) {
    yield error(
      'unknown-reference',
      path,
      `the action ${action.slug} has no param ${reference.names.join('.')}`,
      didYouMean(name, all),
    );
  }
  const inside = reference.operand.filter((segment) => typeof segment === 'object');
  if (inside.some(({ namespace }) => namespace !== 'params')) {
    yield error('interpolation', path, 'the operand of ${params.…} is filled at run time and can only refer to params');
  }
}

function* unused(spec: Canonical, used: ReadonlySet<string>): Generator<Remark> {
  const say = (what: string, name: string, path: Path) => warning('unused', path, `the ${what} ${name} is not used`);
  for (const list of ['required', 'optional'] as const) {
    for (const [index, { name }] of spec.inputs[list].entries()) {
      if (!used.has(`inputs.${name}`)) yield say('input', name, ['inputs', list, index]);
    }
  }
  for (const name of Object.keys(spec.secrets)) {
    if (!used.has(`secrets.${name}`)) yield { ...say('secret', name, ['secrets', name]), atKey: true };
  }
  for (const name of Object.keys(spec.vars)) {
    if (!used.has(`vars.${name}`)) yield { ...say('var', name, ['vars', name]), atKey: true };
  }
}

/** Vars and routes can refer to each other; a cycle would have no value. */
function* cycles(spec: Canonical): Generator<Remark> {
  const texts = new Map<string, string>();
  for (const [name, text] of Object.entries(spec.vars)) texts.set(`vars.${name}`, text);
  for (const { name, host, path } of spec.routes) texts.set(`routes.${name}`, host + path);
  const next = (node: string) =>
    referencesIn(texts.get(node) ?? '')
      .map(({ namespace, names }) => `${namespace}.${names[0]}`)
      .filter((text) => texts.has(text));
  const cycle = findCycle(texts.keys(), next);
  if (cycle === undefined) return;
  const [kind = '', name = ''] = (cycle[0] ?? '').split('.');
  const path: Path =
    kind === 'vars' ? ['vars', name] : ['routes', spec.routes.findIndex((route) => route.name === name)];
  yield error('cycle', path, `${pathText(path)} is part of a cycle: ${cycle.join(' → ')}`);
}
