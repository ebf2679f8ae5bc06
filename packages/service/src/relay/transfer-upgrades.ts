import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { TICKET_HEADER, TRANSFER_PROTOCOL, transferPath } from '@hortus/contract/protocol/transfer';
import { UnauthenticatedLimit } from '../channel/unauthenticated-limit.ts';
import type { Target } from '../http/target.ts';
import type { Upgrades } from '../http/upgrades.ts';
import type { Principal } from '../identity/principal.ts';
import { invalid, notFound, Problem } from '../problem.ts';
import { type Guard, guardWith } from '../process/guard.ts';
import type { Log } from '../process/log.ts';
import { End } from './end.ts';
import { FORWARDED, forward } from './forward.ts';
import type { Relay, Role } from './relay.ts';

export interface TransferUpgradesDeps {
  readonly relay: Relay;
  readonly upgrades: Pick<Upgrades, 'at'>;
  readonly refuse: (socket: Duplex, problem: Problem) => void;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly authenticate: (key: string, address: string) => Promise<Principal>;
  /** Returns the role of a principal in an open transfer; undefined if it has none. */
  readonly roleOf: (principal: Principal, transferId: string, ticket: string | undefined) => Promise<Role | undefined>;
  /** Fails a transfer with an error that its owner reads. */
  readonly fail: (
    principal: Principal,
    transferId: string,
    report: { readonly error: string; readonly ticket?: string },
  ) => Promise<void>;
  /**
   * Returns the replica where the ends of a transfer meet: `own` unless another one was first. `instead` replaces one
   * that cannot be reached.
   */
  readonly meetAt: (transferId: string, own: string, instead?: string) => Promise<string>;
  /** Address of this replica for the others. */
  readonly ownUrl: () => string;
  readonly log: Pick<Log, 'error'>;
}

/** Protocol of daemons and clients before version 2 of transfers. */
const OLD_PROTOCOL = 'websocket';
const UNAUTHENTICATED_LIMITS = { total: 256, perAddress: 32 };

/**
 * Accepts the two ends of a transfer: two daemons, or a daemon and a caller. All of them connect outwards, so that no
 * server opens a port.
 */
export class TransferUpgrades {
  readonly #deps: TransferUpgradesDeps;
  readonly #guard: Guard;
  readonly #unauthenticated = new UnauthenticatedLimit(UNAUTHENTICATED_LIMITS);
  #closed = false;

  constructor(deps: TransferUpgradesDeps) {
    this.#deps = deps;
    this.#guard = guardWith(deps.log);
    deps.upgrades.at(transferPath, this.#upgrade, [TRANSFER_PROTOCOL, OLD_PROTOCOL]);
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
    if (!this.#unauthenticated.enter(address)) {
      refuse(
        socket,
        new Problem('RATE_LIMITED', 'Too many unauthenticated connections for transfers. Try again in a moment.'),
      );
      return;
    }
    this.#enter(request, socket, head, new URLSearchParams(search).get('transfer_id') ?? '', address)
      .catch((err: unknown) => {
        if (err instanceof Problem) return refuse(socket, err);
        log.error({ err }, 'accepting an end of a transfer failed');
        refuse(socket, new Problem('SERVER_ERROR', 'Internal error. Try again.'));
      })
      .finally(() => this.#unauthenticated.leave(address));
  };

  async #enter(request: IncomingMessage, socket: Duplex, head: Buffer, id: string, address: string): Promise<void> {
    const { relay, authenticate, roleOf, fail } = this.#deps;
    const principal = await authenticate(bearer(request), address);
    const ticket = request.headers[TICKET_HEADER] as string | undefined;
    const role = await roleOf(principal, id, ticket);
    if (role === undefined) throw notFound('transfer');
    if (request.headers.upgrade?.toLowerCase() === OLD_PROTOCOL) {
      // An old end would retry for ever. Failing the transfer shows the reason to its owner.
      const error = outdated(principal, role);
      await fail(principal, id, { error, ...(ticket !== undefined && { ticket }) });
      throw invalid('headers', `Upgrade must be ${TRANSFER_PROTOCOL}. ${error}`);
    }
    if (request.headers[FORWARDED] === undefined && (await this.#elsewhere(request, socket, head, id))) return;
    // The socket may have closed during the lookup.
    if (!socket.destroyed) relay.join(id, role, End.accept(socket, head, this.#guard));
  }

  /** Forwards the connection if the other end is connected to another replica. */
  async #elsewhere(request: IncomingMessage, socket: Duplex, head: Buffer, id: string): Promise<boolean> {
    const { meetAt, ownUrl } = this.#deps;
    const own = ownUrl();
    const place = await meetAt(id, own);
    if (place === own) return false;
    if (await forward(request, socket, head, { place, guard: this.#guard })) return true;
    // The other replica is gone with its end: from now on they meet here.
    await meetAt(id, own, place);
    return false;
  }
}

const bearer = ({ headers }: IncomingMessage): string => /^bearer (.*)$/i.exec(headers.authorization ?? '')?.[1] ?? '';

const outdated = ({ kind }: Principal, role: Role): string =>
  kind === 'server'
    ? `The hortusd of the ${role === 'send' ? 'source' : 'target'} server is too old to transfer volumes through this service. Update it, then repeat the operation.`
    : 'This hortus client is too old to transfer volumes through this service. Update it, then repeat the operation.';
