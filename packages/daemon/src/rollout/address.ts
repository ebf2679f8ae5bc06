import type { ContainerFacts } from '../engine/container-facts.ts';

type Placed = Pick<ContainerFacts, 'networks' | 'hostNetwork'>;

/**
 * Where a container is reached from the server itself: by its own address on a network of the instance. A port published on
 * the loopback would also do for an engine without root, but its number changes with every start, and each request would pass
 * through a process of the engine's.
 */
export function addressOf(container: Placed): string | undefined {
  return addressesOf(container)[0];
}

export function addressesOf({ networks, hostNetwork }: Placed): string[] {
  if (hostNetwork) return ['127.0.0.1'];
  return networks.flatMap(({ address }) => (address === '' ? [] : address));
}
