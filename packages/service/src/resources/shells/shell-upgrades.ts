import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { shellPaths } from '@hortus/contract/protocol/shell';
import { SHELL_MESSAGE_BYTES } from '@hortus/contract/protocol/shell-window';
import type { WebSocket, WebSocketServer } from 'ws';
import { UnauthenticatedLimit } from '../../channel/unauthenticated-limit.ts';
import type { Access } from '../../http/gate.ts';
import type { Target } from '../../http/target.ts';
import type { Upgrades } from '../../http/upgrades.ts';
import type { Principal } from '../../identity/principal.ts';
import { Problem } from '../../problem.ts';
import { type Guard, guardWith } from '../../process/guard.ts';
import type { Log } from '../../process/log.ts';
import type { DaemonStreams } from '../../streams/daemon-streams.ts';
import { SocketStream } from '../../streams/socket-stream.ts';
import { streamHandshakes } from '../../streams/stream-handshakes.ts';
import { Recorder } from './recorder.ts';
import { messageOf, RunningShell } from './running-shell.ts';
import { type BegunShell, type Ending, type Shells, unrecorded } from './service.ts';

export interface ShellUpgradesDeps {
  readonly shells: Pick<Shells, 'begin' | 'end' | 'entered' | 'seen' | 'record'>;
  readonly streams: Pick<DaemonStreams, 'open'>;
  readonly upgrades: Pick<Upgrades, 'at'>;
  readonly refuse: (socket: Duplex, problem: Problem) => void;
  readonly addressOf: (request: IncomingMessage) => string;
  /** Checks a caller as for a request that changes something. */
  readonly admit: (access: Access, request: IncomingMessage) => Promise<Principal>;
  readonly recheck: (access: Access, request: IncomingMessage) => Promise<Problem | undefined>;
  readonly log: Pick<Log, 'error'>;
  readonly clock?: (() => number) | undefined;
}

const UNAUTHENTICATED_LIMITS = { total: 256, perAddress: 32 };
/** Open sessions of an account on this replica. */
const MAX = 32;
const POLL_EVERY_MS = 15_000;
/** Every fourth look is written, which shows other replicas that the session is running. */
const SEEN_EVERY = 4;
/** Collects notices of changed credentials, which may come in bursts. */
const RECHECK_AFTER_MS = 100;

const access: Access = { permission: 'instances:shell', counted: true };

/** Accepts the clients of shell sessions, and runs the sessions until they end. */
export class ShellUpgrades {
  readonly #deps: ShellUpgradesDeps;
  readonly #guard: Guard;
  readonly #unauthenticated = new UnauthenticatedLimit(UNAUTHENTICATED_LIMITS);
  readonly #sockets: WebSocketServer;
  readonly #running = new Set<RunningShell>();
  readonly #accounts = new Map<string, number>();
  readonly #sessions = new Set<Promise<void>>();
  #rechecking: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(deps: ShellUpgradesDeps) {
    this.#deps = deps;
    this.#guard = guardWith(deps.log);
    this.#sockets = streamHandshakes(this.#guard, deps.refuse, SHELL_MESSAGE_BYTES);
    for (const path of shellPaths) deps.upgrades.at(path, this.#upgrade);
  }

  /** Checks all credentials soon: one may have been revoked or have lost the permission. */
  recheckAll(): void {
    if (this.#rechecking || this.#running.size === 0) return;
    const recheck = async () => {
      this.#rechecking = undefined;
      for (const shell of [...this.#running]) await shell.recheck();
    };
    this.#rechecking = setTimeout(this.#guard(recheck), RECHECK_AFTER_MS);
  }

  /** Ends all sessions and resolves when they are recorded. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#rechecking);
    for (const shell of this.#running) shell.finish('service_stopped', stopping());
    await Promise.all(this.#sessions);
  }

  readonly #upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, { search }: Target): void => {
    const { refuse, addressOf, log } = this.#deps;
    const address = addressOf(request);
    if (this.#closed) {
      refuse(socket, stopping());
      return;
    }
    if (!this.#unauthenticated.enter(address)) {
      refuse(socket, new Problem('RATE_LIMITED', 'Too many unauthenticated connections. Try again in a moment.'));
      return;
    }
    this.#enter(request, socket, head, new URLSearchParams(search).get('session_id') ?? '')
      .catch((err: unknown) => {
        if (err instanceof Problem) return refuse(socket, err);
        log.error({ err }, 'accepting the client of a shell failed');
        refuse(socket, new Problem('SERVER_ERROR', 'Internal error. Try again.'));
      })
      .finally(() => this.#unauthenticated.leave(address));
  };

  async #enter(request: IncomingMessage, socket: Duplex, head: Buffer, id: string): Promise<void> {
    const { admit, shells } = this.#deps;
    const principal = await admit(access, request);
    const { accountId } = principal;
    this.#take(accountId);
    let session: Promise<void> | undefined;
    try {
      const begun = await shells.begin(principal, id);
      // The socket may have closed during the lookup.
      const opened = socket.destroyed ? undefined : await this.#accept(request, socket, head);
      if (!opened) return await shells.end(begun.row.id, { ending: 'disconnected', exit_code: null });
      const running = this.#run(begun, opened, request).finally(() => {
        this.#sessions.delete(running);
        this.#give(accountId);
      });
      session = running;
      this.#sessions.add(running);
    } finally {
      if (!session) this.#give(accountId);
    }
  }

  /** Undefined if the handshake is not valid; it was refused then. */
  #accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<SocketStream | undefined> {
    return new Promise((done) => {
      socket.once('close', () => done(undefined));
      this.#sockets.handleUpgrade(request, socket, head, (opened: WebSocket) => {
        // Listens at once: messages may have arrived with the handshake.
        done(new SocketStream(opened, this.#guard));
      });
    });
  }

  /** Runs a session; never rejects. */
  async #run(begun: BegunShell, user: SocketStream, request: IncomingMessage): Promise<void> {
    const { shells, streams, log } = this.#deps;
    const { row, place, order } = begun;
    let ending: Ending = { ending: 'failed', exit_code: null };
    try {
      const daemon = await streams.open({ ...place, kind: 'shell', order });
      ending = await this.#relay(begun, user, daemon, request);
    } catch (err) {
      if (!(err instanceof Problem)) log.error({ err }, 'a shell failed');
      const problem = err instanceof Problem ? err : new Problem('SERVER_ERROR', 'Internal error. Try again.');
      user.send(JSON.stringify(messageOf(problem)));
      user.close();
    }
    await shells.end(row.id, ending).catch((err: unknown) => log.error({ err }, 'the end of a shell was not stored'));
  }

  async #relay(
    { row, order }: BegunShell,
    user: SocketStream,
    daemon: SocketStream,
    request: IncomingMessage,
  ): Promise<Ending> {
    const { shells, recheck, clock = Date.now } = this.#deps;
    const recorder = new Recorder({
      store: (part) => shells.record(row, part),
      hasTerminal: order.tty,
      clock,
      guard: this.#guard,
      failed: () => shell.finish('failed', unrecorded()),
    });
    const shell: RunningShell = new RunningShell({
      user,
      daemon,
      hasTerminal: order.tty,
      recorder,
      recheck: () => recheck(access, request),
      entered: (component) => shells.entered(row.id, component),
      guard: this.#guard,
      clock,
    });
    let polls = 0;
    const poll = async () => {
      await shell.poll();
      if (++polls % SEEN_EVERY === 0) await shells.seen(row.id);
    };
    const supervising = setInterval(this.#guard(poll), POLL_EVERY_MS);
    this.#running.add(shell);
    if (this.#closed) shell.finish('service_stopped', stopping());
    try {
      return await shell.run();
    } finally {
      clearInterval(supervising);
      this.#running.delete(shell);
    }
  }

  #take(accountId: string): void {
    const open = this.#accounts.get(accountId) ?? 0;
    if (open >= MAX)
      throw new Problem('RATE_LIMITED', `The limit of ${MAX} open shells of this account is reached. Close one.`, {
        limit: MAX,
        reason: 'shell_limit',
        retry_after: 5,
      });
    this.#accounts.set(accountId, open + 1);
  }

  #give(accountId: string): void {
    const open = (this.#accounts.get(accountId) ?? 1) - 1;
    if (open > 0) this.#accounts.set(accountId, open);
    else this.#accounts.delete(accountId);
  }
}

const stopping = () =>
  new Problem('SERVER_ERROR', 'The service is stopping. Try again in a moment.', { reason: 'service_stopped' });
