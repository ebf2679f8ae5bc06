import { isIP } from 'node:net';
import { isWithin, parseNetwork } from '../identity/networks.ts';
import { subjectOf } from './rate-limit.ts';

/**
 * Returns the address of the caller: the peer of the socket or, behind a trusted proxy, the address that the proxy
 * names.
 */
export type CallerAddress = (peer: string | undefined, forwardedFor: string | undefined) => string;

const UNKNOWN_PEER = '0.0.0.0';

/**
 * Reads X-Forwarded-For from its end, the nearest hop, and stops at the first address that is not a trusted proxy:
 * everything before that may be forged by the caller.
 */
export function callerAddress(trustedProxies: readonly string[]): CallerAddress {
  const trusted = trustedProxies.map(parseNetwork).filter((network) => network !== undefined);
  const isTrusted = (address: string) => isWithin(address, trusted);

  if (trustedProxies.length === 0) return (peer) => plain(peer ?? UNKNOWN_PEER);
  return (peer, forwardedFor) => {
    let address = plain(peer ?? UNKNOWN_PEER);
    if (forwardedFor === undefined || !isTrusted(address)) return address;
    const hops = forwardedFor.split(',');
    for (let hop = hops.length - 1; hop >= 0 && isTrusted(address); hop--) {
      const named = plain((hops[hop] as string).trim());
      if (isIP(named) === 0) break;
      address = named;
    }
    return address;
  };
}

/**
 * Returns the key that a connection is counted under: its peer, IPv6 by /64 as for the rate limit. Connections of a trusted proxy carry
 * many callers and are not counted.
 */
export function countedAddress(trustedProxies: readonly string[]): (peer: string) => string | undefined {
  const trusted = trustedProxies.map(parseNetwork).filter((network) => network !== undefined);
  return (peer) => {
    const address = plain(peer);
    return isWithin(address, trusted) ? undefined : subjectOf(undefined, address);
  };
}

/** Removes the prefix of an IPv4 peer on a dual-stack socket, such as ::ffff:192.0.2.1. */
export const plain = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address);

export const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');
