import type { Guard } from '../process/guard.ts';
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

interface Meeting {
  readonly ends: Partial<Record<Role, End>>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Connects the two ends of a transfer. Relays their data with backpressure, and neither stores nor inspects it: the
 * ends verify its completeness themselves. An end that is closed may reconnect.
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
      const alone = () => end.close();
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
    closeAll(meeting);
    return fresh;
  }

  close(): void {
    for (const meeting of this.#meetings.values()) {
      clearTimeout(meeting.timer);
      closeAll(meeting);
    }
  }

  #connect(meeting: Meeting, send: End, receive: End): void {
    const silent = () => closeAll(meeting);
    meeting.timer = setTimeout(this.#guard(silent), this.#times.silenceMs);
    const onReceived = (count: number) => {
      this.#carried += count;
      meeting.timer?.refresh();
    };
    send.handTo(receive, onReceived);
    receive.handTo(send, onReceived);
  }

  /** Closes the other end too, so that both start again together. */
  #left(transferId: string, meeting: Meeting, role: Role, end: End): void {
    if (meeting.ends[role] !== end) return;
    delete meeting.ends[role];
    clearTimeout(meeting.timer);
    const [other] = Object.values(meeting.ends);
    if (other) other.close();
    else if (this.#meetings.get(transferId) === meeting) this.#meetings.delete(transferId);
  }
}

function closeAll({ ends }: Meeting): void {
  for (const end of Object.values(ends)) end.close();
}
