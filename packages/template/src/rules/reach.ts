import type { Canonical, CanonicalComponent } from '../canonical-form.ts';
import { type Remark, warning } from '../finding.ts';
import { accessOf } from '../host-access.ts';
import type { Rule } from './rule.ts';

/**
 * A component that nothing leads to and that leads to nothing else runs for nobody: a forgotten cache, a database whose
 * name was never written into the application. Jobs, workers that use other components, and what reaches the server or
 * the world beside it do their work without being asked.
 */
export const reach: Rule = function* (spec) {
  const services = Object.entries(spec.components).filter(([, { kind }]) => kind === 'service');
  if (services.length < 2) return;
  for (const [name, component] of services) {
    if (isCalled(spec, name) || worksAlone(spec, component) || usesOthers(spec, name, component)) continue;
    const remark: Remark = warning(
      'unreachable',
      ['components', name],
      `nothing uses ${name}: no route, no dependency and no text of another component leads to it`,
      `write \${components.${name}.host} where it is used, or leave it out`,
    );
    yield { ...remark, atKey: true };
  }
};

function isCalled(spec: Canonical, name: string): boolean {
  const { routes, actions, smoke, provides, vars } = spec;
  const named = [...routes, ...actions, ...smoke.flatMap(({ tcp, exec }) => tcp ?? exec ?? [])];
  if (named.some(({ component }) => component === name)) return true;
  if (speaksOf([provides, vars, routes], name)) return true;
  return Object.entries(spec.components).some(
    ([other, component]) => other !== name && (name in component.depends_on || speaksOf(toldTo(component), name)),
  );
}

/** What a component is told: others are found by the name that stands in it, filled in or written out. */
const toldTo = ({ env, command, entrypoint, files, extra_hosts }: CanonicalComponent) => [
  env,
  command,
  entrypoint,
  extra_hosts,
  files.map(({ content }) => content),
];

function speaksOf(value: unknown, name: string): boolean {
  return new RegExp(`(?<![A-Za-z0-9_-])${name}(?![A-Za-z0-9_-])`).test(JSON.stringify(value));
}

function worksAlone({ archetype }: Canonical, component: CanonicalComponent): boolean {
  return archetype === 'worker' || accessOf(component).length > 0;
}

function usesOthers(spec: Canonical, name: string, component: CanonicalComponent): boolean {
  const told = JSON.stringify(toldTo(component));
  if (Object.keys(component.depends_on).length > 0 || /\$\{(needs|routes|vars)\./.test(told)) return true;
  return Object.entries(spec.components).some(
    ([other, { storage }]) =>
      other !== name &&
      (speaksOf(told, other) || storage.some((volume) => component.storage.some((mine) => mine.name === volume.name))),
  );
}
