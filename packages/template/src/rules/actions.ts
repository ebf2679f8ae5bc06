import type { Canonical, CanonicalAction } from '../canonical/canonical-form.ts';
import { references } from '../interpolation/text.ts';
import { didYouMean } from '../schema/nearest.ts';
import { error, type Path, type Remark, warning } from '../source/finding.ts';
import { question } from './inputs.ts';
import { type Rule, repeated } from './rule.ts';
import { scriptIndex } from './shell.ts';

/** Built-in actions of every instance. */
const BUILT_IN = new Set(['start', 'stop', 'restart', 'release']);

export const actions: Rule = function* (spec) {
  for (const [index, slug] of repeated(spec.actions, (action) => action.slug)) {
    yield error('duplicate', ['actions', index, 'slug'], `another action has the slug ${slug}`);
  }
  for (const [index, action] of spec.actions.entries()) {
    const path = ['actions', index];
    if (BUILT_IN.has(action.slug))
      yield error('reserved', [...path, 'slug'], `${action.slug} is a built-in action of every instance`);
    yield* place(spec, action, path);
    yield* form(action, path);
    for (const [at, name] of repeated(action.params, (param) => param.name)) {
      yield error('duplicate', [...path, 'params', at, 'name'], `another param has the name ${name}`);
    }
    const used = paramsUsed(action);
    for (const [at, param] of action.params.entries()) {
      yield* question(param, [...path, 'params', at]);
      if (used.has(param.name)) continue;
      yield warning(
        'unused',
        [...path, 'params', at],
        `the param ${param.name} is not used in ${action.slug}`,
        `use it as \${params.${param.name}}`,
      );
    }
  }
};

function* place(spec: Canonical, { component, type }: CanonicalAction, path: Path): Generator<Remark> {
  yield* componentExists(spec, component, path);
  if (type !== 'job' && component !== undefined && spec.components[component]?.kind === 'job') {
    yield error(
      'condition',
      [...path, 'component'],
      `${component} is a job, which has no running container for actions`,
    );
  }
}

/** Checks the component. It may be omitted if there is only one service. */
export function* componentExists(spec: Canonical, component: string | undefined, path: Path): Generator<Remark> {
  const names = Object.keys(spec.components);
  if (component === undefined) {
    yield error('no-component', path, `must name its component: ${names.join(', ')}`);
  } else if (!Object.hasOwn(spec.components, component)) {
    yield error(
      'unknown-component',
      [...path, 'component'],
      `there is no component ${component}`,
      didYouMean(component, names),
    );
  }
}

function paramsUsed(action: CanonicalAction): Set<string> {
  const texts = JSON.stringify([
    action.command,
    action.http,
    action.env,
    action.user,
    action.working_dir,
    action.image,
  ]);
  const inParams = references(texts).filter(({ namespace }) => namespace === 'params');
  return new Set(inParams.map(({ names }) => names[0] ?? ''));
}

function* form(action: CanonicalAction, path: Path): Generator<Remark> {
  const { type, command, http } = action;
  if (type === 'http') {
    if (http === undefined) yield error('no-call', path, 'an action of type http needs http');
    if (command !== undefined) yield error('misplaced', [...path, 'command'], 'an action of type http has no command');
  } else {
    if (command === undefined) yield error('no-command', path, `an action of type ${type} needs a command`);
    if (http !== undefined) yield error('misplaced', [...path, 'http'], `http belongs to an action of type http`);
  }
  if (type !== 'job' && action.image !== undefined)
    yield error('misplaced', [...path, 'image'], 'only an action of type job can have an image');
  const script = scriptIndex(command ?? []);
  const text = command?.[script];
  if (text !== undefined && references(text).some(({ namespace }) => namespace === 'params')) {
    const hint = 'pass it as an argument: [sh, -c, \'… "$1"\', sh, "${params.x}"]';
    yield error(
      'shell-injection',
      [...path, 'command', script],
      'a param inside a shell script could run arbitrary commands',
      hint,
    );
  }
  if (
    http !== undefined &&
    references(http.path).some(({ namespace, filters }) => namespace === 'params' && !filters.includes('urlencode'))
  ) {
    yield error(
      'injection',
      [...path, 'http', 'path'],
      'a param in a path must be encoded',
      'write ${params.x | urlencode}',
    );
  }
}
