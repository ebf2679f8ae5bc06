import type { Canonical, CanonicalComponent } from '../canonical/canonical-form.ts';
import { accessOf } from '../canonical/host-access.ts';
import { type Remark, warning } from '../source/finding.ts';
import type { Rule } from './rule.ts';

/**
 * Reports components that nothing uses and that use no others: a forgotten cache, or a database whose name was never
 * configured in the application. Jobs, workers that use other components, and components with access to the server are
 * excluded.
 */
export const reach: Rule = function* (spec) {
  const services = Object.entries(spec.components).filter(([, { kind }]) => kind === 'service');
  if (services.length < 2) return;
  const ties = tiesOf(spec);
  for (const [name, component] of services) {
    if (ties.isCalled(name) || worksAlone(spec, component) || ties.usesOthers(name)) continue;
    const remark: Remark = warning(
      'unreachable',
      ['components', name],
      `nothing uses ${name}: no route, dependency or text of another component refers to it`,
      `write \${components.${name}.host} where it is used, or remove it`,
    );
    yield { ...remark, atKey: true };
  }
};

/** Collects all uses in one pass: a template may have hundreds of components. */
function tiesOf(spec: Canonical) {
  const { routes, actions, smoke, provides, vars, components } = spec;
  const called = new Set([
    ...[...routes, ...actions, ...smoke.flatMap(({ tcp, exec }) => tcp ?? exec ?? [])].map(
      ({ component }) => component,
    ),
    ...wordsOf(JSON.stringify([provides, vars, routes])),
  ]);
  const users = new Set<string>();
  const mounts = new Map<string, string>();
  for (const [name, component] of Object.entries(components)) {
    const declared = JSON.stringify(settingsOf(component));
    const depended = Object.keys(component.depends_on);
    const others = [...depended, ...wordsOf(declared)].filter(
      (word) => word !== name && Object.hasOwn(components, word),
    );
    for (const other of others) called.add(other);
    if (others.length + depended.length > 0 || /\$\{(needs|routes|vars)\./.test(declared)) users.add(name);
    for (const { name: volume } of component.storage) {
      const first = mounts.get(volume);
      if (first === undefined) mounts.set(volume, name);
      else if (first !== name) users.add(first).add(name);
    }
  }
  return { isCalled: (name: string) => called.has(name), usesOthers: (name: string) => users.has(name) };
}

/** Texts of a component that may name other components. */
const settingsOf = ({ env, command, entrypoint, files, extra_hosts }: CanonicalComponent) => [
  env,
  command,
  entrypoint,
  extra_hosts,
  files.map(({ content }) => content),
];

const wordsOf = (text: string): Set<string> => new Set(text.match(/[A-Za-z0-9_-]+/g) ?? []);

function worksAlone({ archetype }: Canonical, component: CanonicalComponent): boolean {
  return archetype === 'worker' || accessOf(component).length > 0;
}
