import type { Component } from '@hortus/contract/template/component';
import { isMapping } from '../../schema/schema-check.ts';
import { findEntrances, portOf } from './entrances.ts';
import type { Notes } from './notes.ts';
import { protocolOf } from './protocols.ts';
import type { Reading } from './reading.ts';

/** Records a way in that the file does not give: an answer, or what the image and settings of a service tell. */
export function leadIn(
  reading: Reading,
  services: Record<string, unknown>,
  components: Record<string, Component>,
  declared: number | undefined,
  replies: Readonly<Record<string, number>>,
  notes: Notes,
): void {
  for (const [service, port] of Object.entries(replies)) {
    const component = reading.components.get(service);
    if (component !== undefined && port > 0) reading.routes.lead({ component, port }, ['services', service]);
  }
  const isOpen = Object.values(components).some(
    ({ network, ports = [] }) => network === 'host' || ports.some(({ host_port }) => host_port !== undefined),
  );
  if (isOpen || !reading.routes.isEmpty || Object.keys(replies).length > 0) return;
  const { found, unknown } = findEntrances(reading, services, components);
  for (const { service, component, port } of found) {
    reading.routes.lead({ component, port, scheme: schemeOf(port) }, ['services', service]);
  }
  if (unknown === undefined) return;
  const { service, component } = unknown;
  if (declared === undefined) notes.askPort(service);
  else reading.routes.lead({ component, port: declared }, ['services', service]);
}

const schemeOf = (port: number) => (protocolOf(port, '') === 'https' ? 'https' : 'http');

/** Returns the ports of a component, the likeliest way in first. */
export function portsOf(
  reading: Reading,
  services: Record<string, unknown>,
  components: Record<string, Component>,
  name: string,
): number[] {
  const component = components[name];
  const service = services[[...reading.components].find(([, text]) => text === name)?.[0] ?? ''];
  if (component === undefined || !isMapping(service)) return [];
  const likely = portOf(reading, component, service);
  const tcp = (component.ports ?? [])
    .filter(({ protocol, last_port }) => protocol !== 'udp' && last_port === undefined)
    .map((port) => port.container_port);
  return [...(likely === undefined ? [] : [likely]), ...tcp];
}
