import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';

/** What the service says about the leadership of a cluster. */
export interface LeadershipMessage {
  type: 'leadership';
  member_id: string;
  leads: boolean;
  epoch: number;
  lease_ms: number;
  /** First epoch of this member since another one led. */
  since?: number;
  /** Number of the renewal that this answers. */
  renewal?: number;
}

export interface Term {
  epoch: number;
  /** First epoch of this member since another one led. */
  since: number;
}

export interface LeadershipOptions {
  /** Whether the daemon is a member of a cluster. That of an ordinary server always leads. */
  isMember: boolean;
  /** Returns false if the channel is not connected. */
  send(message: { type: string; epoch: number; renewal?: number }): boolean;
  /** Called when this daemon begins to lead, and when it leads again in a new epoch or after its lease had ended. */
  onLead(term: Term): void;
  /** Called when its lease has ended, or another member leads. */
  onLost(): void;
  log: Log;
  clocks?: Clocks;
}

/** Two clocks in milliseconds. */
export interface Clocks {
  /** Never set, but stands still while the machine is suspended. */
  steady(): number;
  /** Counts the time of a suspended machine, but may be set. */
  wall(): number;
}

/** A moment by both clocks. */
type Moment = { readonly [Name in keyof Clocks]: number };

/** Renewals in each lease: two may get lost. */
const RENEWALS = 3;
/** Renewals without an answer that are remembered; older ones are of leases that have ended. */
const MAX_ASKED = 16;

/**
 * Knows whether this daemon leads its cluster. A lease counts from the time when its renewal was sent, and ends when the first
 * of two clocks says so, so that it never lasts longer here than in the service: not after a suspend of the machine either. A message without a renewal may have waited in a buffer for any time, so it
 * only makes the daemon ask.
 */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #clocks: Clocks;
  #epoch: number | undefined;
  #until: Moment = { steady: 0, wall: 0 };
  #leading = false;
  /** When each unanswered renewal was sent, by its number. */
  readonly #asked = new Map<number, Moment>();
  #renewals = 0;
  /** Epoch that the renewals name. */
  #asking: number | undefined;
  #renewing: NodeJS.Timeout | undefined;
  #lapsing: NodeJS.Timeout | undefined;

  constructor(options: LeadershipOptions) {
    this.#options = options;
    this.#clocks = options.clocks ?? { steady: () => performance.now(), wall: () => Date.now() };
  }

  /** Whether this daemon may begin something. */
  leads(): boolean {
    return !this.#options.isMember || (this.#epoch !== undefined && this.#leftMs() > 0);
  }

  /** Whether it leads, or has asked for the confirmation of a leadership that the service granted. */
  mayLead(): boolean {
    return !this.#options.isMember || this.#asking !== undefined;
  }

  /** Epoch of its leadership, which requests to the service name; undefined for an ordinary server. */
  get epoch(): number | undefined {
    return this.#epoch;
  }

  received({ leads, epoch, lease_ms, since = epoch, renewal }: LeadershipMessage): void {
    if (!this.#options.isMember) return;
    if (!leads) {
      if (this.#epoch !== undefined) this.#options.log.warn('another member leads the cluster now');
      this.#end();
      return;
    }
    const askedAt = renewal === undefined ? undefined : this.#asked.get(renewal);
    if (renewal === undefined || askedAt === undefined) {
      this.#ask(epoch, lease_ms / RENEWALS);
      return;
    }
    for (const number of this.#asked.keys()) if (number <= renewal) this.#asked.delete(number);
    const isNew = this.#epoch !== epoch;
    this.#epoch = epoch;
    // Renewals are answered in order; a late answer to an earlier one does not shorten the lease.
    if (isNew || askedAt.steady + lease_ms > this.#until.steady)
      this.#until = { steady: askedAt.steady + lease_ms, wall: askedAt.wall + lease_ms };
    if (!this.leads()) {
      this.#lose();
      return;
    }
    this.#awaitEnd();
    if (isNew) this.#options.log.info({ epoch }, 'this daemon leads the cluster');
    const begins = isNew || !this.#leading;
    this.#leading = true;
    if (begins) this.#options.onLead({ epoch, since });
  }

  /** Ends the leadership at once: the service closed the connection, because another member leads. */
  deposed(): void {
    if (this.#epoch !== undefined) this.#options.log.warn('the service deposed this daemon; another member leads');
    this.#end();
  }

  /** Lets another member take over at once. */
  stop(): void {
    const epoch = this.#epoch;
    this.#end();
    if (epoch !== undefined) this.#options.send({ type: 'leadership_release', epoch });
  }

  #end(): void {
    clearTimeout(this.#renewing);
    clearTimeout(this.#lapsing);
    this.#epoch = undefined;
    this.#asking = undefined;
    this.#asked.clear();
    this.#lose();
  }

  #lose(): void {
    if (!this.#leading) return;
    this.#leading = false;
    this.#options.onLost();
  }

  /** Asks at once in a new epoch; otherwise the next renewal is due soon. */
  #ask(epoch: number, everyMs: number): void {
    if (this.#asking === epoch) return;
    this.#asking = epoch;
    clearTimeout(this.#renewing);
    this.#renew(epoch, everyMs);
  }

  /** Repeats the renewal until the leadership ends; each answer extends the lease. */
  #renew(epoch: number, everyMs: number): void {
    const renewal = ++this.#renewals;
    const sentAt = { steady: this.#clocks.steady(), wall: this.#clocks.wall() };
    if (this.#options.send({ type: 'leadership_renewal', epoch, renewal })) this.#asked.set(renewal, sentAt);
    const [oldest] = this.#asked.keys();
    if (oldest !== undefined && this.#asked.size > MAX_ASKED) this.#asked.delete(oldest);
    const renew = () => this.#renew(epoch, everyMs);
    this.#renewing = setTimeout(guarded(this.#options.log, renew), everyMs);
  }

  /** Time until the end of the lease by the clock that comes first. */
  #leftMs(): number {
    return Math.min(this.#until.steady - this.#clocks.steady(), this.#until.wall - this.#clocks.wall());
  }

  #awaitEnd(): void {
    clearTimeout(this.#lapsing);
    const check = () => {
      if (this.leads()) return this.#awaitEnd();
      this.#options.log.warn('the lease of this daemon ended without a renewal; it no longer leads the cluster');
      this.#lose();
    };
    this.#lapsing = setTimeout(guarded(this.#options.log, check), Math.max(1, Math.ceil(this.#leftMs())));
  }
}
