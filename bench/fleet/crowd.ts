import { readFileSync } from 'node:fs';
import { Backoff } from '@hortus/daemon/concurrency/backoff';
import { standardTimes } from '@hortus/daemon/link/channel';
import { type ClientSocket, openSocket } from './client-socket.ts';

/**
 * Runs many daemons in one process with the published messages only. They reconnect like the real daemon. Prints a line with a
 * monotonic timestamp for each action request.
 */
const [url = '', keyFile = '', first = '0'] = process.argv.slice(2);
const keys = readFileSync(keyFile, 'utf8').split('\n');
const OPENING = 64;
let pinged = 0;

class Member {
  readonly #key: string;
  readonly #localAddress: string;
  readonly #backoff = new Backoff(standardTimes);
  /** Undefined until the first ping. */
  spreadMs: number | undefined;

  constructor(key: string, number: number) {
    this.#key = key;
    // Uses many addresses like real servers, because the service limits unauthenticated sockets per address.
    this.#localAddress = `127.0.${1 + (number >> 7)}.${1 + (number & 127)}`;
  }

  connect(): Promise<void> {
    return new Promise((done) => {
      openSocket(url, this.#localAddress, {
        opened: (socket) => {
          socket.send(JSON.stringify({ type: 'auth', api_key: this.#key }));
          done();
        },
        received: (socket, text) => this.#received(socket, text),
        closed: () => {
          done();
          setTimeout(() => void this.connect(), this.#backoff.next(this.spreadMs));
        },
      });
    });
  }

  #received(socket: ClientSocket, text: string): void {
    const at = process.hrtime.bigint();
    this.#backoff.reset();
    const { type, ts, spread_ms, execution_id } = JSON.parse(text) as Record<string, unknown>;
    if (type === 'ping') {
      if (this.spreadMs === undefined) pinged++;
      this.spreadMs = Number(spread_ms ?? 0);
      socket.send(JSON.stringify({ type: 'pong', ts }));
      if (pinged === members.length) console.log('all pinged');
    }
    if (type !== 'action_request') return;
    console.log(`request ${execution_id} ${at}`);
    socket.send(JSON.stringify({ type: 'action_started', execution_id }));
    socket.send(JSON.stringify({ type: 'action_completed', execution_id, exit_code: 0, output: '' }));
  }
}

const members = keys.map((key, i) => new Member(key, Number(first) + i));
for (let i = 0; i < members.length; i += OPENING)
  await Promise.all(members.slice(i, i + OPENING).map((member) => member.connect()));
console.log('all connected');
