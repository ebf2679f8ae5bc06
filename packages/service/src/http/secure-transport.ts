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
  const overTls = tlsTransport(trustedProxies);
  return (peer, headers) => {
    if (peer === undefined) return false;
    if (!forwarding.some((name) => headers[name] !== undefined)) return isLoopback(plain(peer));
    return overTls(peer, headers);
  };
}

/** Whether a trusted proxy says that the caller came over TLS. */
export function tlsTransport(trustedProxies: readonly string[]): SecureTransport {
  const trusted = trustedProxies.map(parseNetwork).filter((network) => network !== undefined);
  return (peer, headers) =>
    peer !== undefined && isWithin(plain(peer), trusted) && everyHopIsTls(headers['x-forwarded-proto']);
}

/** Whether a browser holds the session cookie of this service for TLS: then it has the `__Host-` prefix. */
export function tlsCookies({ publicUrl, trustedProxies }: TlsSettings): SecureTransport {
  if (new URL(publicUrl).protocol === 'https:') return () => true;
  return tlsTransport(trustedProxies);
}

interface TlsSettings {
  readonly publicUrl: string;
  readonly trustedProxies: readonly string[];
}

function everyHopIsTls(protocols: string | string[] | undefined): boolean {
  const hops = [protocols ?? []].flat().join().split(',');
  return hops.every((protocol) => protocol.trim().toLowerCase() === 'https');
}
