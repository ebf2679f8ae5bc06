import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { transferPath } from '@hortus/contract/transfer';
import { Doorway } from '../channel/doorway.ts';
import { type Guard, guardWith } from '../guard.ts';
import type { Target } from '../http/target.ts';
import type { Upgrades } from '../http/upgrades.ts';
import type { Principal } from '../identity/principal.ts';
import type { Log } from '../log.ts';
import { invalid, notFound, Problem } from '../problem.ts';
import { End, handshakeFault } from './end.ts';
import { FORWARDED, forward } from './forward.ts';
import type { Relay, Role } from './relay.ts';

export interface RelayDoorDeps {
  readonly relay: Relay;
  readonly upgrades: Pick<Upgrades, 'at'>;
  readonly refuse: (socket: Duplex, problem: Problem) => void;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly authenticate: (key: string, address: string) => Promise<Principal>;
  /** Which end of an open transfer somebody is; undefined for one that he has no part in. */
  readonly roleOf: (principal: Principal, transferId: string) => Promise<Role | undefined>;
  /** Where the ends of a transfer meet: `own` unless another replica was first. `instead` of one that cannot be reached. */
  readonly meetAt: (transferId: string, own: string, instead?: string) => Promise<string>;
  /** Where the other replicas reach this one. */
  readonly ownUrl: () => string;
  readonly log: Pick<Log, 'error'>;
}

const STRANGERS = { total: 256, perAddress: 32 };

/** Where the two ends of a transfer come to: daemons from inside, so that no server opens a port, or a daemon and a caller. */
export class RelayDoor {
  readonly #deps: RelayDoorDeps;
  readonly #guard: Guard;
  readonly #doorway = new Doorway(STRANGERS);
  #closed = false;

  constructor(deps: RelayDoorDeps) {
    this.#deps = deps;
    this.#guard = guardWith(deps.log);
    deps.upgrades.at(transferPath, this.#upgrade);
  }

  close(): void {
    this.#closed = true;
    this.#deps.relay.close();
  }

  readonly #upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, { search }: Target): void => {
    const { refuse, addressOf, log } = this.#deps;
    const address = addressOf(request);
    if (this.#closed) {
      refuse(socket, new Problem('SERVER_ERROR', 'The service is stopping. Try again in a moment.'));
      return;
    }
    if (!this.#doorway.enter(address)) {
      refuse(socket, new Problem('RATE_LIMITED', 'Too many ends of transfers wait to be authenticated.'));
      return;
    }
    this.#enter(request, socket, head, new URLSearchParams(search).get('transfer_id') ?? '', address)
      .catch((err: unknown) => {
        if (err instanceof Problem) return refuse(socket, err);
        log.error({ err }, 'an end of a transfer could not be let in');
        refuse(socket, new Problem('SERVER_ERROR', 'Something failed inside. Try again.'));
      })
      .finally(() => this.#doorway.leave(address));
  };

  async #enter(request: IncomingMessage, socket: Duplex, head: Buffer, id: string, address: string): Promise<void> {
    const { relay, authenticate, roleOf } = this.#deps;
    const principal = await authenticate(bearer(request), address);
    const role = await roleOf(principal, id);
    if (role === undefined) throw notFound('transfer');
    const fault = handshakeFault(request);
    if (fault !== undefined) throw invalid('headers', `${fault}: this is no WebSocket handshake.`);
    if (request.headers[FORWARDED] === undefined && (await this.#elsewhere(request, socket, head, id))) return;
    // It may have gone while it was looked up.
    if (!socket.destroyed) relay.join(id, role, End.accept(request, socket, head, this.#guard));
  }

  /** With several replicas the two ends may come to different ones: the second is handed to where the first is. */
  async #elsewhere(request: IncomingMessage, socket: Duplex, head: Buffer, id: string): Promise<boolean> {
    const { meetAt, ownUrl } = this.#deps;
    const own = ownUrl();
    const place = await meetAt(id, own);
    if (place === own) return false;
    if (await forward(request, socket, head, { place, guard: this.#guard })) return true;
    // It is gone, and whoever was there with it: from now on they meet here.
    await meetAt(id, own, place);
    return false;
  }
}

const bearer = ({ headers }: IncomingMessage): string => /^bearer (.*)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
