import type { Guard } from '../guard.ts';
import type { End } from './end.ts';

/** The two ends of a transfer. */
export type Role = 'send' | 'receive';

export interface RelayTimes {
  /** How long an end waits for the other. */
  readonly waitMs: number;
  /** How long both may be silent; daemons say something four times as often. */
  readonly silenceMs: number;
}

const standardTimes: RelayTimes = { waitMs: 30_000, silenceMs: 60_000 };

const GOING_AWAY = 1001;
/** Why an end is sent away; each may come back. */
const relayCodes = { alone: 4408, replaced: 4409, otherGone: 4410, silent: 4411 } as const;

interface Meeting {
  readonly ends: Partial<Record<Role, End>>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Where the two ends of a transfer meet. What one says is handed to the other as it comes, never faster than he takes it, and
 * nothing of it is kept or looked at: the ends prove to each other that everything arrived.
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

  /** Bytes that have gone through since the start. */
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

  /** Where its place is taken, both who are there go: the other is in the middle of a talk that the new one has not heard. */
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

  /** An end that goes takes the other with it, so that both begin anew together. */
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
  alone: 'the other end did not come',
  replaced: 'another connection took its place',
  otherGone: 'the other end has gone',
  silent: 'nothing was heard for too long',
} as const;

const sendAway = (end: End, why: keyof typeof reasons): void => end.close(relayCodes[why], reasons[why]);
