import type { Canonical, CanonicalComponent, CanonicalPort } from '../canonical/canonical-form.ts';
import { hasPort, hostPortText, portCount, portText } from '../notation/port-ranges.ts';
import { error, type Path, type Remark, warning } from '../source/finding.ts';
import type { Rule } from './rule.ts';

/** Checks that a component listens on every port that others use, and that ports of the server are used once. */
export const ports: Rule = function* (spec) {
  for (const [index, { component, port }] of spec.routes.entries()) {
    yield* portsInUse(spec, component, port, ['routes', index, 'port']);
  }
  for (const [index, { component, http }] of spec.actions.entries()) {
    if (http !== undefined) yield* portsInUse(spec, component, http.port, ['actions', index, 'http', 'port']);
  }
  for (const [index, { tcp }] of spec.smoke.entries()) {
    if (tcp?.component !== undefined) yield* portsInUse(spec, tcp.component, tcp.port, ['smoke', index, 'tcp', 'port']);
  }
  for (const [name, component] of Object.entries(spec.components)) {
    for (const kind of ['http', 'tcp'] as const) {
      const port = component.healthcheck?.[kind]?.port;
      if (port === undefined || !lists(component) || isListed(component, port) || mentions(component, port)) continue;
      const path = ['components', name, 'healthcheck', kind, 'port'];
      yield unheard(spec, name, port, path, listed(component));
    }
  }
  yield* clashes(spec);
};

const isListed = ({ ports: all }: CanonicalComponent, port: number) => all.some((item) => hasPort(item, port));

const listed = ({ ports: all }: CanonicalComponent) => all.map(portText);

/** Published ports alone are not the full list: ports of routes need not be repeated. */
const lists = ({ ports: all }: CanonicalComponent) => all.some(({ host_port }) => host_port === undefined);

const probed = ({ healthcheck }: CanonicalComponent) =>
  [healthcheck?.http?.port, healthcheck?.tcp?.port].filter((port) => port !== undefined);

/** Tells whether the configuration of a component mentions a port: in its environment, arguments or files. */
function mentions({ env, command = [], entrypoint = [], files }: CanonicalComponent, port: number): boolean {
  const number = new RegExp(`(?<![\\d.])${port}(?![\\d.])`);
  return [...Object.values(env), ...command, ...entrypoint, ...files.map(({ content }) => content)].some((text) =>
    number.test(text),
  );
}

function* portsInUse(spec: Canonical, name: string, port: number, path: Path): Generator<Remark> {
  const component = Object.hasOwn(spec.components, name) ? spec.components[name] : undefined;
  if (component === undefined || (!lists(component) && probed(component).length === 0)) return;
  if (isListed(component, port) || probed(component).includes(port) || mentions(component, port)) return;
  const known = [...new Set([...listed(component), ...probed(component).map(String)])];
  yield unheard(spec, name, port, path, known);
}

function unheard(spec: Canonical, name: string, port: number, path: Path, known: readonly string[]): Remark {
  const owner = Object.entries(spec.components).find(
    ([other, component]) => other !== name && (isListed(component, port) || probed(component).includes(port)),
  )?.[0];
  const hint = owner === undefined ? `list the port in its ports if it listens there` : `did you mean ${owner}?`;
  return warning('unknown-port', path, `${name} listens on ${known.join(', ')}, not on ${port}`, hint);
}

function* clashes(spec: Canonical): Generator<Remark> {
  const taken: { port: CanonicalPort; owner: string }[] = [];
  for (const [owner, component] of Object.entries(spec.components)) {
    for (const [index, port] of component.ports.entries()) {
      if (port.host_port === undefined) continue;
      const other = taken.find((item) => clash(item.port, port));
      taken.push({ port, owner });
      if (other === undefined) continue;
      const message = `the port ${hostPortText(port)}/${port.protocol} of the server is used by ${other.owner}`;
      yield error('duplicate', ['components', owner, 'ports', index, 'host_port'], message);
    }
  }
}

const clash = (a: CanonicalPort, b: CanonicalPort) =>
  meet(a, b) &&
  a.protocol === b.protocol &&
  (a.host_ip === undefined || b.host_ip === undefined || a.host_ip === b.host_ip);

/** Ports from inputs are compared by name: their numbers are unknown. */
function meet(a: CanonicalPort, b: CanonicalPort): boolean {
  if (typeof a.host_port !== 'number' || typeof b.host_port !== 'number') return a.host_port === b.host_port;
  return a.host_port < b.host_port + portCount(b) && b.host_port < a.host_port + portCount(a);
}
