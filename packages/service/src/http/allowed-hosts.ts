import { isIP } from 'node:net';
import { isLoopback } from './caller-address.ts';

/** Whether this service answers under a name: what stands in `Host`, or in a target in absolute form. */
export type AllowedHosts = (host: string | undefined) => boolean;

/**
 * A page elsewhere can have its own name lead to this service, and would then be of one origin with it (DNS rebinding). So what a
 * browser does by itself, showing pages and sending cookies, works only under names that are ours. An address is no name: nobody
 * can have it lead elsewhere.
 */
export function allowedHosts(publicUrl: string, names: readonly string[]): AllowedHosts {
  const own = new Set([new URL(publicUrl).hostname, 'localhost', ...names].map((name) => name.toLowerCase()));
  return (host) => {
    if (host === undefined) return false;
    const name = nameIn(host);
    return own.has(name) || name.endsWith('.localhost') || isIP(name) !== 0;
  };
}

/** Whether a host is written as one of this machine. */
export function isLoopbackHost(host: string | undefined): boolean {
  const name = nameIn(host ?? '');
  return name === 'localhost' || (isIP(name) !== 0 && isLoopback(name));
}

/** Without the port, the brackets of an IPv6 address and the dot that may end a name. */
function nameIn(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  return (bracketed ?? plain).toLowerCase().replace(/\.$/, '');
}
