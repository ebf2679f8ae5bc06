import { isMapping } from '../../schema/schema-check.ts';
import { listOf } from './entries.ts';
import { hasProxyLabels } from './proxy-labels.ts';
import type { Reading } from './reading.ts';

/**
 * Returns the aliases that the networks of a file give its services. All components share one network, so lost
 * isolation is reported.
 */
export function readNetworks(reading: Reading, services: Record<string, unknown>): Map<string, string[]> {
  const aliases = new Map<string, string[]>();
  const memberships = new Set<string>();
  for (const [name, service] of Object.entries(services)) {
    if (!isMapping(service) || service.network_mode !== undefined) continue;
    const path = ['services', name, 'networks'];
    const joined: string[] = [];
    if (isMapping(service.networks)) {
      for (const [network, declared] of Object.entries(service.networks)) {
        joined.push(network);
        if (!isMapping(declared)) continue;
        for (const { item } of listOf(declared.aliases, path))
          aliases.set(name, [...(aliases.get(name) ?? []), String(item)]);
        for (const key of Object.keys(declared)) {
          if (key !== 'aliases' && key !== 'priority')
            reading.notes.drop([...path, network, key], `the engine decides about ${key}`);
        }
      }
    } else joined.push(...listOf(service.networks, path).map(({ item }) => String(item)));
    const own = joined.filter((network) => !isExternal(reading, network));
    memberships.add((own.length === 0 ? ['default'] : own).sort().join(' '));
  }
  if (memberships.size > 1)
    reading.notes.drop(['networks'], 'all components share one network, so they are not isolated from each other');
  for (const [name, network] of Object.entries(reading.section('networks'))) {
    if (!isMapping(network)) continue;
    const path = ['networks', name];
    if (isExternal(reading, name) && leadsToProxy(name, services))
      reading.notes.infer([...path, 'external'], 'it connects to a reverse proxy; routes replace it');
    else if (isExternal(reading, name))
      reading.notes.refuse(
        [...path, 'external'],
        `the external network ${name} is not joined; use routes for access from outside`,
      );
    for (const key of Object.keys(network)) {
      if (LOST.has(key) && network[key] !== false && network[key] !== null)
        reading.notes.drop([...path, key], `the engine decides about ${key} of a network`);
    }
    if (network.driver !== undefined && network.driver !== 'bridge')
      reading.notes.refuse([...path, 'driver'], `the network is always a bridge, not ${String(network.driver)}`);
  }
  return aliases;
}

/** Names that people give to the network of their reverse proxy. */
const PROXY_NETWORK =
  /proxy|traefik|caddy|nginx|npm|ingress|(^|[-_])(web|public|frontend|external|edge|dokploy|coolify)([-_]|$)/i;

function leadsToProxy(network: string, services: Record<string, unknown>): boolean {
  const members = Object.values(services).filter((service) => isMapping(service) && joins(service, network));
  return PROXY_NETWORK.test(network) || members.some((service) => hasProxyLabels(service as Record<string, unknown>));
}

const joins = ({ networks }: Record<string, unknown>, network: string): boolean =>
  Array.isArray(networks) ? networks.includes(network) : isMapping(networks) && Object.hasOwn(networks, network);

const LOST = new Set(['driver_opts', 'ipam', 'internal', 'enable_ipv6', 'enable_ipv4', 'attachable', 'labels']);

function isExternal(reading: Reading, network: string): boolean {
  const declared = reading.section('networks')[network];
  return isMapping(declared) && declared.external !== undefined && declared.external !== false;
}
