import { isIP } from 'node:net';
import { isLoopback } from './caller-address.ts';

/** Tells whether the service answers under a host name, from `Host` or from a target in absolute form. */
export type AllowedHosts = (host: string | undefined) => boolean;

/**
 * Protects against DNS rebinding: a foreign page can make its own name resolve to this service and so share its origin. Therefore pages
 * and cookies, which a browser handles by itself, work only under names of the service. IP addresses are allowed: no DNS answer can
 * redirect them.
 */
export function allowedHosts(publicUrl: string, names: readonly string[]): AllowedHosts {
  const own = new Set([new URL(publicUrl).hostname, 'localhost', ...names].map((name) => name.toLowerCase()));
  return (host) => {
    if (host === undefined) return false;
    const name = nameIn(host);
    return own.has(name) || name.endsWith('.localhost') || isIP(name) !== 0;
  };
}

/** Tells whether a host is a name or address of this machine. */
export function isLoopbackHost(host: string | undefined): boolean {
  const name = nameIn(host ?? '');
  return name === 'localhost' || (isIP(name) !== 0 && isLoopback(name));
}

/** Removes the port, the brackets of an IPv6 address and a final dot. */
function nameIn(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  return (bracketed ?? plain).toLowerCase().replace(/\.$/, '');
}
