import type { IncomingHttpHeaders } from 'node:http';
import { isWithin, parseNetwork } from '../identity/networks.ts';
import { isLoopback, plain } from './caller-address.ts';

/** Whether nobody between the caller and this service can read what is said. */
export type SecureTransport = (peer: string | undefined, headers: IncomingHttpHeaders) => boolean;

const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-proto'];

/**
 * The service itself speaks plain HTTP: it is TLS when a trusted proxy says so, and as good as TLS when the caller is on
 * this machine. A proxy on this machine that nobody declared speaks for a caller somewhere else, so what carries its marks
 * is not local; inventing them only costs the caller its own answer.
 */
export function secureTransport(trustedProxies: readonly string[]): SecureTransport {
  const trusted = trustedProxies.map(parseNetwork).filter((network) => network !== undefined);
  return (peer, headers) => {
    if (peer === undefined) return false;
    const address = plain(peer);
    if (!forwarding.some((name) => headers[name] !== undefined)) return isLoopback(address);
    return isWithin(address, trusted) && everyHopIsTls(headers['x-forwarded-proto']);
  };
}

function everyHopIsTls(protocols: string | string[] | undefined): boolean {
  const hops = [protocols ?? []].flat().join().split(',');
  return hops.every((protocol) => protocol.trim().toLowerCase() === 'https');
}
