import { WebSocket } from 'ws';

/** The two ends of a transfer. */
export type Role = 'send' | 'receive';

export interface RelayTimes {
  /** How long an end waits for the other. */
  readonly waitMs: number;
  /** How long both may be silent; daemons say something four times as often. */
  readonly silenceMs: number;
}

const standardTimes: RelayTimes = { waitMs: 30_000, silenceMs: 60_000 };

/** Bytes that wait for a slow end before the quick one is not read any more. Two ends, so twice that for a transfer. */
const MOST_WAITING = 2 * 1024 * 1024;

const GOING_AWAY = 1001;
/** Why an end is sent away; each may come back. */
const relayCodes = { alone: 4408, replaced: 4409, otherGone: 4410, silent: 4411 } as const;

interface Meeting {
  readonly ends: Partial<Record<Role, WebSocket>>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Where the two ends of a transfer meet. What one says is handed to the other as it comes, never faster than he takes it, and
 * nothing of it is kept or looked at: the ends prove to each other that everything arrived.
 */
export class Relay {
  readonly #times: RelayTimes;
  readonly #meetings = new Map<string, Meeting>();
  #carried = 0;

  constructor(times: Partial<RelayTimes> = {}) {
    this.#times = { ...standardTimes, ...times };
  }

  /** Bytes that have gone through since the start. */
  get carried(): number {
    return this.#carried;
  }

  join(transferId: string, role: Role, socket: WebSocket): void {
    // Whatever it says before the other is there stays in its own socket.
    socket.pause();
    socket.on('error', () => undefined);
    const meeting = this.#meetings.get(transferId) ?? { ends: {}, timer: undefined };
    this.#meetings.set(transferId, meeting);
    const before = meeting.ends[role];
    meeting.ends[role] = socket;
    if (before) sendAway(before, 'replaced');
    socket.on('close', () => this.#left(transferId, meeting, role, socket));
    clearTimeout(meeting.timer);
    const { send, receive } = meeting.ends;
    if (send?.readyState === WebSocket.OPEN && receive?.readyState === WebSocket.OPEN) this.#connect(meeting);
    else meeting.timer = setTimeout(() => sendAway(socket, 'alone'), this.#times.waitMs);
  }

  close(): void {
    for (const { ends, timer } of this.#meetings.values()) {
      clearTimeout(timer);
      for (const socket of Object.values(ends)) socket.close(GOING_AWAY, 'the service is stopping');
    }
  }

  #connect(meeting: Meeting): void {
    const { send, receive } = meeting.ends as Record<Role, WebSocket>;
    this.#hand(meeting, send, receive);
    this.#hand(meeting, receive, send);
    const silent = () => Object.values(meeting.ends).map((end) => sendAway(end, 'silent'));
    meeting.timer = setTimeout(silent, this.#times.silenceMs);
    send.resume();
    receive.resume();
  }

  #hand(meeting: Meeting, from: WebSocket, to: WebSocket): void {
    from.removeAllListeners('message');
    from.on('message', (data: Buffer, binary: boolean) => {
      this.#carried += data.length;
      meeting.timer?.refresh();
      to.send(data, { binary }, () => {
        if (from.isPaused && to.bufferedAmount < MOST_WAITING / 2) from.resume();
      });
      if (to.bufferedAmount > MOST_WAITING) from.pause();
    });
  }

  /** An end that goes takes the other with it, so that both begin anew together. */
  #left(transferId: string, meeting: Meeting, role: Role, socket: WebSocket): void {
    if (meeting.ends[role] !== socket) return;
    delete meeting.ends[role];
    clearTimeout(meeting.timer);
    const [other] = Object.values(meeting.ends);
    if (other) sendAway(other, 'otherGone');
    else if (this.#meetings.get(transferId) === meeting) this.#meetings.delete(transferId);
  }
}

const reasons = {
  alone: 'the other end did not come',
  replaced: 'another connection took its place',
  otherGone: 'the other end has gone',
  silent: 'nothing was heard for too long',
} as const;

function sendAway(socket: WebSocket, why: keyof typeof reasons): void {
  // One that is not read would never see the other side close.
  socket.resume();
  socket.close(relayCodes[why], reasons[why]);
}
