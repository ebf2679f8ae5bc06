import type { IncomingHttpHeaders } from 'node:http';
import { isWithin, parseNetwork } from '../identity/networks.ts';
import { isLoopback, plain } from './caller-address.ts';

/** Tells whether the connection between the caller and the service cannot be read by others. */
export type SecureTransport = (peer: string | undefined, headers: IncomingHttpHeaders) => boolean;

const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-proto'];

/**
 * The service itself speaks plain HTTP: a request is secure if a trusted proxy reports TLS, or if the caller is on this
 * machine. An undeclared proxy on this machine forwards requests from elsewhere, so a request with forwarding headers
 * is not local; forging them only costs the caller its own answer.
 */
export function secureTransport(trustedProxies: readonly string[]): SecureTransport {
  const overTls = tlsTransport(trustedProxies);
  return (peer, headers) => {
    if (peer === undefined) return false;
    if (!forwarding.some((name) => headers[name] !== undefined)) return isLoopback(plain(peer));
    return overTls(peer, headers);
  };
}

/** Tells whether a trusted proxy reports that the caller came over TLS. */
function tlsTransport(trustedProxies: readonly string[]): SecureTransport {
  const trusted = trustedProxies.map(parseNetwork).filter((network) => network !== undefined);
  return (peer, headers) =>
    peer !== undefined && everyHopIsTls(headers['x-forwarded-proto']) && isWithin(plain(peer), trusted);
}

/** Tells whether the session cookie is the one for TLS, with the `__Host-` prefix. */
export function tlsCookies({ publicUrl, trustedProxies }: TlsSettings): SecureTransport {
  if (new URL(publicUrl).protocol === 'https:') return () => true;
  return tlsTransport(trustedProxies);
}

const HSTS = { 'Strict-Transport-Security': 'max-age=31536000' } as const;
const NONE = {} as const;

/**
 * Returns the header that keeps browsers on TLS, if the request came over it. Without `includeSubDomains`, because
 * applications on subdomains may have no certificate; not for localhost, where other programs speak plain HTTP.
 */
export function strictTransport(
  settings: TlsSettings,
): (peer: string | undefined, headers: IncomingHttpHeaders) => Headers {
  const overTls = tlsTransport(settings.trustedProxies);
  const { protocol, host, hostname } = new URL(settings.publicUrl);
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return () => NONE;
  return (peer, headers) => {
    // A proxy that is not trusted, or says nothing, still asks for the name that is known to be served over TLS.
    const isPublic = protocol === 'https:' && headers.host?.toLowerCase() === host && !isPlain(headers);
    return isPublic || overTls(peer, headers) ? HSTS : NONE;
  };
}

type Headers = typeof HSTS | typeof NONE;

const isPlain = ({ 'x-forwarded-proto': protocols }: IncomingHttpHeaders): boolean =>
  protocols !== undefined && !everyHopIsTls(protocols);

interface TlsSettings {
  readonly publicUrl: string;
  readonly trustedProxies: readonly string[];
}

function everyHopIsTls(protocols: string | string[] | undefined): boolean {
  if (protocols === undefined) return false;
  const hops = [protocols].flat().join().split(',');
  return hops.every((protocol) => protocol.trim().toLowerCase() === 'https');
}
