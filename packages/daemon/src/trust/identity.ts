import type { KeyObject } from 'node:crypto';
import { ConfigError, type DaemonConfig } from '../config.ts';
import type { Pins } from '../journal/pins.ts';
import type { Log } from '../log.ts';
import { readPublicKey } from './manifest-signature.ts';

export interface IdentityOptions {
  config: DaemonConfig;
  pins: Pins;
  log: Log;
}

/** Which server this is, and by which key its service is known; a state directory belongs to one of each for good. */
export class Identity {
  readonly #pins: Pins;
  readonly #log: Log;
  #publicKey: KeyObject | undefined;

  /** Throws when the state directory belongs to another server or service than the operator has named. */
  constructor({ config, pins, log }: IdentityOptions) {
    this.#pins = pins;
    this.#log = log;
    this.#publicKey = pinnedKey(config, pins);
    pinServer(config, pins);
  }

  /** Undefined as long as neither the operator nor the service has named it. */
  get serverId(): string | undefined {
    return this.#pins.find('server_id');
  }

  /** Of the service; undefined as long as none is pinned. */
  get publicKey(): KeyObject | undefined {
    return this.#publicKey;
  }

  /** What the service says is believed only where nothing was said at registration, and only the first time. */
  introduced({ server_id, manifest_public_key }: { server_id?: string; manifest_public_key?: string }): void {
    if (server_id !== undefined && this.#pins.pin('server_id', server_id) !== server_id) {
      this.#log.error('the service takes this server for another one; its deployments are refused', { server_id });
    }
    if (this.#publicKey || manifest_public_key === undefined) return;
    // Before it is pinned: what is no key would keep out the right one for good.
    readPublicKey(manifest_public_key);
    this.#publicKey = readPublicKey(this.#pins.pin('manifest_public_key', manifest_public_key));
    this.#log.warn('the key of the service for manifests was taken from its first answer and is pinned now');
  }
}

function pinnedKey({ manifestPublicKey: given, stateDirectory }: DaemonConfig, pins: Pins): KeyObject | undefined {
  if (given !== undefined) requireKey(given);
  const pinned = given === undefined ? pins.find('manifest_public_key') : pins.pin('manifest_public_key', given);
  if (given !== undefined && pinned !== given) {
    throw new ConfigError(
      `${stateDirectory} belongs to a service with another key. Use another --state-dir for this one.`,
    );
  }
  return pinned === undefined ? undefined : readPublicKey(pinned);
}

function requireKey(given: string): void {
  try {
    readPublicKey(given);
  } catch (cause) {
    throw new ConfigError((cause as Error).message, { cause });
  }
}

function pinServer({ serverId, stateDirectory }: DaemonConfig, pins: Pins): void {
  if (serverId === undefined || pins.pin('server_id', serverId) === serverId) return;
  throw new ConfigError(`${stateDirectory} belongs to another server. Use another --state-dir for ${serverId}.`);
}
