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
  /** Set by the operator: private addresses are allowed. */
  readonly allowPrivate: boolean;
  /** Defaults to the system's resolver; tests replace it. */
  readonly resolve?: Resolve;
}

/** A slow name server must not delay a registration; the address is checked again at every connection. */
const RESOLVE_WITHIN_MS = 2_000;

/**
 * Keeps requests to addresses from users out of our own network. A name is checked at registration, so that the user
 * gets an error, and again at every connection, because it may resolve to another address by then.
 */
export class AddressGuard {
  readonly #allowPrivate: boolean;
  readonly #resolve: Resolve;

  constructor(options: AddressGuardOptions) {
    this.#allowPrivate = options.allowPrivate;
    this.#resolve = options.resolve ?? lookup;
  }

  /**
   * Throws AddressRefused. A name that cannot be resolved now is accepted: nothing is sent until it can be resolved.
   */
  async check(url: URL): Promise<void> {
    const host = this.checkLiteral(url);
    if (this.#allowPrivate || isIP(host)) return;
    for (const { address } of await this.#addressesOf(host)) refuseUnlessPublic(address);
  }

  /** Checks without a lookup; also needed before a connection, because addresses are never looked up. */
  checkLiteral(url: URL): string {
    // URL has already normalized 0x7f.1, 2130706433 and similar forms.
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (this.#allowPrivate) return host;
    if (isIP(host)) refuseUnlessPublic(host);
    if (/(^|\.)localhost\.?$/i.test(host)) throw new AddressRefused(`${host} is this machine`);
    return host;
  }

  /** For `net.connect`: allows connections only to checked addresses. */
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
      const timeout = setTimeout(() => resolve([]), RESOLVE_WITHIN_MS);
      this.#resolve(host, { all: true }, (_, addresses) => {
        clearTimeout(timeout);
        resolve(addresses ?? []);
      });
    });
  }
}

/** Only 2000::/3 is assigned for public use; other addresses are local, translated or unused. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

export function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  // Special ranges are not public: loopback, private, link-local, mapped, 6to4, NAT64, …
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast);
}

function refuseUnlessPublic(address: string): void {
  if (!isPublic(address)) throw new AddressRefused(`${address} is not a public address`);
}
