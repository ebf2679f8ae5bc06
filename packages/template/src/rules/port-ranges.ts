import { MAX_PORTS } from '@hortus/contract/template/host-access';
import type { CanonicalComponent } from '../canonical/canonical-form.ts';
import { portCount } from '../notation/port-ranges.ts';
import { error, type Path, type Remark, warning } from '../source/finding.ts';
import type { Rule } from './rule.ts';

const HIGHEST = 65_535;
/** From here on the engine notably works for the ports: two processes and some 2.4 MB for each published one. */
const MANY_PORTS = 100;
const ALTERNATIVE = 'use network: host, which costs nothing per port';

/** Checks the bounds of port ranges, and the number of ports of each component. */
export const portRanges: Rule = function* (spec) {
  for (const [name, component] of Object.entries(spec.components)) {
    for (const [index, port] of component.ports.entries()) {
      const { container_port, last_port, host_port } = port;
      const path: Path = ['components', name, 'ports', index];
      if (last_port === undefined) continue;
      if (last_port <= container_port) {
        yield error('port-range', [...path, 'last_port'], `must be greater than ${container_port}, the first port`);
      } else if (typeof host_port === 'string') {
        yield error('port-range', [...path, 'host_port'], 'must be a number, because it begins a range');
      } else if (host_port !== undefined && host_port + portCount(port) - 1 > HIGHEST) {
        const message = `${portCount(port)} ports from ${host_port} exceed the last port, ${HIGHEST}`;
        yield error('port-range', [...path, 'host_port'], message);
      }
    }
    yield* number(component, ['components', name, 'ports']);
  }
};

function* number({ ports, network }: CanonicalComponent, path: Path): Generator<Remark> {
  const all = ports.reduce((sum, port) => sum + Math.max(portCount(port), 1), 0);
  if (all > MAX_PORTS) {
    yield error('too-many-ports', path, `has ${all} ports; the limit is ${MAX_PORTS}`, ALTERNATIVE);
    return;
  }
  const published = ports
    .filter(({ host_port }) => host_port !== undefined)
    .reduce((sum, port) => sum + Math.max(portCount(port), 1), 0);
  if (published <= MANY_PORTS || network === 'host') return;
  const message = `publishes ${published} ports, for which Docker runs ${2 * published} processes`;
  yield warning('many-ports', path, message, `${ALTERNATIVE}, or publish fewer`);
}
