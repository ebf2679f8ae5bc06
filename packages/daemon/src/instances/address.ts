import type { ContainerFacts } from '../engine/container-facts.ts';

type Placed = Pick<ContainerFacts, 'networks' | 'hostNetwork' | 'node'>;

/**
 * Returns where the server reaches a container: its address on a network of the instance. A port published on loopback
 * would work with a rootless engine too, but its number changes with every start and each request would pass through a
 * proxy process of the engine.
 */
export function addressOf(container: Placed): string | undefined {
  return addressesOf(container)[0];
}

export function addressesOf({ networks, hostNetwork, node }: Placed): string[] {
  if (hostNetwork) return node === undefined ? ['127.0.0.1'] : [];
  return networks.flatMap(({ address }) => (address === '' ? [] : address));
}
