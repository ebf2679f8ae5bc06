import { didYouMean } from '../schema/nearest.ts';
import { error } from '../source/finding.ts';
import { componentExists } from './actions.ts';
import { type Rule, repeated } from './rule.ts';

export const routes: Rule = function* (spec) {
  for (const [index, name] of repeated(spec.routes, (route) => route.name)) {
    yield error('duplicate', ['routes', index, 'name'], `another route has the name ${name}`);
  }
  for (const [index] of repeated(spec.routes, ({ host, path }) => `${host} ${path}`)) {
    yield error('duplicate', ['routes', index, 'host'], 'another route has the same host and path');
  }
  const primary = spec.routes.flatMap((route, index) => (route.primary ? [index] : []));
  for (const index of primary.slice(1))
    yield error('primary', ['routes', index, 'primary'], 'another route is already primary');
  for (const [index, { component }] of spec.routes.entries()) {
    yield* componentExists(spec, component, ['routes', index]);
    if (spec.components[component]?.kind === 'job') {
      yield error('condition', ['routes', index, 'component'], `${component} is a job and cannot serve requests`);
    }
  }
};

export const smoke: Rule = function* (spec) {
  const names = spec.routes.map((route) => route.name);
  for (const [index, { http, tcp, exec }] of spec.smoke.entries()) {
    const path = ['smoke', index];
    if ([http, tcp, exec].filter((item) => item !== undefined).length !== 1) {
      yield error('smoke', path, 'needs exactly one of http, tcp and exec');
    }
    if (http !== undefined && !names.includes(http.route)) {
      yield error(
        'unknown-route',
        [...path, 'http', 'route'],
        `there is no route ${http.route}`,
        didYouMean(http.route, names),
      );
    }
    if (tcp !== undefined) yield* componentExists(spec, tcp.component, [...path, 'tcp']);
    if (exec !== undefined) yield* componentExists(spec, exec.component, [...path, 'exec']);
  }
};
