import type { Canonical } from '@hortus/template/canonical/canonical-form';

/**
 * Lists the TCP ports of its server that a template publishes, as `8080` or `8080-8090`; `*` for one that an input chooses.
 */
export function hostPortsOf(spec: Pick<Canonical, 'components'>): string[] {
  const ports = Object.values(spec.components).flatMap((component) => component.ports);
  const published = ports.filter(({ protocol }) => protocol !== 'udp');
  return published.flatMap(({ host_port, container_port, last_port }) => {
    if (host_port === undefined) return [];
    if (typeof host_port === 'string') return ['*'];
    return [last_port === undefined ? `${host_port}` : `${host_port}-${host_port + last_port - container_port}`];
  });
}
