import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

export class AddressRefused extends Error {
  override name = 'AddressRefused';
  readonly code = 'ADDRESS_REFUSED';
}

type Resolve = (host: string, options: LookupAllOptions, done: ResolveDone) => void;
type ResolveDone = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

export interface AddressGuardOptions {
  /** The operator vouches for his own network: everything is reachable. */
  readonly allowPrivate: boolean;
  /** The system's resolver, unless a test brings its own. */
  readonly resolve?: Resolve;
}

/** A slow name server must not hold up a registration; the address is checked again with every connection. */
const RESOLVE_WITHIN_MS = 2_000;

/**
 * Keeps requests to addresses that users give us out of our own network. A name is checked when it is registered, so
 * that the user hears of it, and again at every connection, because by then it may lead elsewhere.
 */
export class AddressGuard {
  readonly #allowPrivate: boolean;
  readonly #resolve: Resolve;

  constructor(options: AddressGuardOptions) {
    this.#allowPrivate = options.allowPrivate;
    this.#resolve = options.resolve ?? lookup;
  }

  /** Throws AddressRefused. A name that cannot be resolved now passes: nothing is sent before it can be. */
  async check(url: URL): Promise<void> {
    const host = this.checkLiteral(url);
    if (this.#allowPrivate || isIP(host)) return;
    for (const { address } of await this.#addressesOf(host)) refuseUnlessPublic(address);
  }

  /** What can be said without asking anybody; needed before a connection too, since an address is never looked up. */
  checkLiteral(url: URL): string {
    // URL has already turned 0x7f.1, 2130706433 and their like into plain addresses.
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (this.#allowPrivate) return host;
    if (isIP(host)) refuseUnlessPublic(host);
    if (/(^|\.)localhost\.?$/i.test(host)) throw new AddressRefused(`${host} is this machine itself`);
    return host;
  }

  /** For `net.connect`: a connection is only made to an address that has passed here. */
  readonly lookup: LookupFunction = (host, options, done) => {
    this.#resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      try {
        if (!this.#allowPrivate) for (const { address } of addresses) refuseUnlessPublic(address);
      } catch (refused) {
        return done(refused as AddressRefused, []);
      }
      const [first] = addresses;
      if (options.all || !first) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };

  #addressesOf(host: string): Promise<LookupAddress[]> {
    return new Promise((resolve) => {
      const patience = setTimeout(() => resolve([]), RESOLVE_WITHIN_MS);
      this.#resolve(host, { all: true }, (_, addresses) => {
        clearTimeout(patience);
        resolve(addresses ?? []);
      });
    });
  }
}

/** Only 2000::/3 is given out to the public; what lies outside is local, translated or not in use. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

export function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  // Everything that has a name of its own is not ordinary: loopback, private, link-local, mapped, 6to4, NAT64, …
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast);
}

function refuseUnlessPublic(address: string): void {
  if (!isPublic(address)) throw new AddressRefused(`${address} is not a public address`);
}
