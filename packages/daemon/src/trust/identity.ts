import type { KeyObject } from 'node:crypto';
import type { Pins } from '../journal/pins.ts';
import type { Log } from '../log.ts';
import { ConfigError } from '../options/config-error.ts';
import { readPublicKey } from './manifest-signature.ts';

/** What the operator set. */
interface KnownIdentity {
  readonly stateDirectory: string;
  readonly serverId: string | undefined;
  /** Base64 SPKI. */
  readonly manifestPublicKey: string | undefined;
}

export interface IdentityOptions {
  config: KnownIdentity;
  pins: Pins;
  log: Log;
}

/** Pins the server id and the public key of the service; a state directory is bound to one of each. */
export class Identity {
  readonly #pins: Pins;
  readonly #log: Log;
  #publicKey: KeyObject | undefined;

  /** Throws if the state directory belongs to another server or service than the settings name. */
  constructor({ config, pins, log }: IdentityOptions) {
    this.#pins = pins;
    this.#log = log;
    this.#publicKey = pinnedKey(config, pins);
    pinServer(config, pins);
  }

  /** Undefined until the operator or the service has named it. */
  get serverId(): string | undefined {
    return this.#pins.find('server_id');
  }

  /** Public key of the service; undefined until one is pinned. */
  get publicKey(): KeyObject | undefined {
    return this.#publicKey;
  }

  /** Pins values from the service on first use, unless registration already provided them. */
  introduced({ server_id, manifest_public_key }: { server_id?: string; manifest_public_key?: string }): void {
    if (server_id !== undefined && this.#pins.pin('server_id', server_id) !== server_id) {
      this.#log.error(
        {
          server_id,
        },
        'the service uses another server id than the pinned one; its deployments are rejected',
      );
    }
    if (this.#publicKey || manifest_public_key === undefined) return;
    // Validate before pinning: an invalid key would permanently block the valid one.
    readPublicKey(manifest_public_key);
    this.#publicKey = readPublicKey(this.#pins.pin('manifest_public_key', manifest_public_key));
    this.#log.warn('no manifest key was configured; pinned the key from the first response of the service');
  }
}

function pinnedKey({ manifestPublicKey: input, stateDirectory }: KnownIdentity, pins: Pins): KeyObject | undefined {
  if (input !== undefined) requireKey(input);
  const pinned = input === undefined ? pins.find('manifest_public_key') : pins.pin('manifest_public_key', input);
  if (input !== undefined && pinned !== input) {
    throw new ConfigError(
      `${stateDirectory} belongs to a service with another key. Use another --state-dir for this one.`,
    );
  }
  return pinned === undefined ? undefined : readPublicKey(pinned);
}

function requireKey(input: string): void {
  try {
    readPublicKey(input);
  } catch (cause) {
    throw new ConfigError((cause as Error).message, { cause });
  }
}

function pinServer({ serverId, stateDirectory }: KnownIdentity, pins: Pins): void {
  if (serverId === undefined || pins.pin('server_id', serverId) === serverId) return;
  throw new ConfigError(`${stateDirectory} belongs to another server. Use another --state-dir for ${serverId}.`);
}
