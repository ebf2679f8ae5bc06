import type { Guard } from '../guard.ts';
import type { End } from './end.ts';

/** The two ends of a transfer. */
export type Role = 'send' | 'receive';

export interface RelayTimes {
  /** How long an end waits for the other. */
  readonly waitMs: number;
  /** Maximum silence of both ends; daemons send a keep-alive four times as often. */
  readonly silenceMs: number;
}

const standardTimes: RelayTimes = { waitMs: 30_000, silenceMs: 60_000 };

const GOING_AWAY = 1001;
/** Close codes of ends; each may reconnect. */
const relayCodes = { alone: 4408, replaced: 4409, otherGone: 4410, silent: 4411 } as const;

interface Meeting {
  readonly ends: Partial<Record<Role, End>>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Connects the two ends of a transfer. Relays their data with backpressure, and neither stores nor inspects it: the
 * ends verify its completeness themselves.
 */
export class Relay {
  readonly #guard: Guard;
  readonly #times: RelayTimes;
  readonly #meetings = new Map<string, Meeting>();
  #carried = 0;

  constructor(guard: Guard, times: Partial<RelayTimes> = {}) {
    this.#guard = guard;
    this.#times = { ...standardTimes, ...times };
  }

  /** Bytes relayed since the start. */
  get carried(): number {
    return this.#carried;
  }

  join(transferId: string, role: Role, end: End): void {
    const meeting = this.#meetingFor(transferId, role);
    meeting.ends[role] = end;
    end.onClose(() => this.#left(transferId, meeting, role, end));
    clearTimeout(meeting.timer);
    const { send, receive } = meeting.ends;
    if (send?.open && receive?.open) this.#connect(meeting, send, receive);
    else {
      const alone = () => sendAway(end, 'alone');
      meeting.timer = setTimeout(this.#guard(alone), this.#times.waitMs);
    }
  }

  /**
   * If the role is taken, both present ends are closed: the other one is in the middle of a conversation that the new
   * one has missed.
   */
  #meetingFor(transferId: string, role: Role): Meeting {
    const meeting = this.#meetings.get(transferId);
    if (meeting && !meeting.ends[role]) return meeting;
    const fresh: Meeting = { ends: {}, timer: undefined };
    this.#meetings.set(transferId, fresh);
    if (!meeting) return fresh;
    clearTimeout(meeting.timer);
    for (const [of, end] of Object.entries(meeting.ends)) sendAway(end, of === role ? 'replaced' : 'otherGone');
    return fresh;
  }

  close(): void {
    for (const { ends, timer } of this.#meetings.values()) {
      clearTimeout(timer);
      for (const end of Object.values(ends)) end.close(GOING_AWAY, 'the service is stopping');
    }
  }

  #connect(meeting: Meeting, send: End, receive: End): void {
    const silent = () => Object.values(meeting.ends).map((end) => sendAway(end, 'silent'));
    meeting.timer = setTimeout(this.#guard(silent), this.#times.silenceMs);
    const heard = (count: number) => {
      this.#carried += count;
      meeting.timer?.refresh();
    };
    send.handTo(receive, heard);
    receive.handTo(send, heard);
  }

  /** Closes the other end too, so that both start again together. */
  #left(transferId: string, meeting: Meeting, role: Role, end: End): void {
    if (meeting.ends[role] !== end) return;
    delete meeting.ends[role];
    clearTimeout(meeting.timer);
    const [other] = Object.values(meeting.ends);
    if (other) sendAway(other, 'otherGone');
    else if (this.#meetings.get(transferId) === meeting) this.#meetings.delete(transferId);
  }
}

const reasons = {
  alone: 'the other end did not connect',
  replaced: 'replaced by another connection',
  otherGone: 'the other end has disconnected',
  silent: 'no data was received for too long',
} as const;

const sendAway = (end: End, why: keyof typeof reasons): void => end.close(relayCodes[why], reasons[why]);
