import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { STREAM_MESSAGE_BYTES, STREAM_TICKET_HEADER, streamPaths } from '@hortus/contract/channel/streams';
import type { WebSocket, WebSocketServer } from 'ws';
import { UnauthenticatedLimit } from '../channel/unauthenticated-limit.ts';
import type { Upgrades } from '../http/upgrades.ts';
import type { Principal } from '../identity/principal.ts';
import { hashOf } from '../identity/tokens.ts';
import { Problem } from '../problem.ts';
import { type Guard, guardWith } from '../process/guard.ts';
import type { Log } from '../process/log.ts';
import { FORWARDED, forward } from '../relay/forward.ts';
import { DaemonStream } from './daemon-stream.ts';
import type { DaemonStreams } from './daemon-streams.ts';
import { streamHandshakes } from './stream-handshakes.ts';
import { type Hmac, readTicket, type Ticket } from './ticket.ts';

export interface StreamUpgradesDeps {
  readonly streams: Pick<DaemonStreams, 'awaits' | 'arrive'>;
  readonly upgrades: Pick<Upgrades, 'at'>;
  readonly refuse: (socket: Duplex, problem: Problem) => void;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly authenticate: (key: string, address: string) => Promise<Principal>;
  /** Whether a key that was accepted still is. */
  readonly isKeyValid: (key: string, address: string) => Promise<boolean>;
  readonly hmac: Hmac;
  readonly ownUrl: () => string;
  readonly log: Pick<Log, 'error'>;
}

const UNAUTHENTICATED_LIMITS = { total: 256, perAddress: 32 };

/**
 * Accepts the connections of daemons for streams. A daemon reaches any replica; the ticket names the one that waits, and
 * the connection is forwarded there.
 */
export class StreamUpgrades {
  readonly #deps: StreamUpgradesDeps;
  readonly #guard: Guard;
  readonly #unauthenticated = new UnauthenticatedLimit(UNAUTHENTICATED_LIMITS);
  readonly #sockets: WebSocketServer;

  constructor(deps: StreamUpgradesDeps) {
    this.#deps = deps;
    this.#guard = guardWith(deps.log);
    this.#sockets = streamHandshakes(this.#guard, deps.refuse, STREAM_MESSAGE_BYTES);
    for (const path of streamPaths) deps.upgrades.at(path, this.#upgrade);
  }

  readonly #upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const { refuse, addressOf, log } = this.#deps;
    const address = addressOf(request);
    if (!this.#unauthenticated.enter(address)) {
      refuse(socket, new Problem('RATE_LIMITED', 'Too many unauthenticated connections. Try again in a moment.'));
      return;
    }
    this.#enter(request, socket, head, address)
      .catch((err: unknown) => {
        if (err instanceof Problem) return refuse(socket, err);
        log.error({ err }, 'accepting the stream of a daemon failed');
        refuse(socket, new Problem('SERVER_ERROR', 'Internal error. Try again.'));
      })
      .finally(() => this.#unauthenticated.leave(address));
  };

  async #enter(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): Promise<void> {
    const { authenticate, isKeyValid, ownUrl } = this.#deps;
    const key = bearer(request);
    const principal = await authenticate(key, address);
    const ticket = await this.#ticket(principal, request.headers[STREAM_TICKET_HEADER]);
    if (!ticket) throw refused();
    if (ticket.replicaUrl !== ownUrl() && request.headers[FORWARDED] === undefined) {
      if (await forward(request, socket, head, { place: ticket.replicaUrl, guard: this.#guard })) return;
      throw refused();
    }
    if (!this.#deps.streams.awaits(ticket)) throw refused();
    // The socket may have closed during the lookup.
    if (socket.destroyed) return;
    this.#sockets.handleUpgrade(request, socket, head, (opened: WebSocket) => {
      const stream = new DaemonStream(opened, {
        guard: this.#guard,
        keyHash: hashOf(key),
        isKeyValid: () => isKeyValid(key, address),
      });
      this.#deps.streams.arrive(ticket, stream);
    });
  }

  async #ticket(principal: Principal, shown: string | string[] | undefined): Promise<Ticket | undefined> {
    if (principal.kind !== 'server' || typeof shown !== 'string') return undefined;
    const { serverId, accountId } = principal;
    return await readTicket(shown, { serverId, accountId }, this.#deps.hmac, Date.now());
  }
}

/** The same answer for a wrong, expired, used and foreign ticket. */
const refused = (): Problem =>
  new Problem('FORBIDDEN', 'The ticket of the stream is missing, wrong, expired or already used.');

const bearer = ({ headers }: IncomingMessage): string => /^bearer (.*)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
