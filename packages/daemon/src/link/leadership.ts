import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';

/** What the service says about the leadership of a cluster. */
export interface LeadershipMessage {
  type: 'leadership';
  member_id: string;
  leads: boolean;
  epoch: number;
  lease_ms: number;
}

export interface LeadershipOptions {
  /** Returns false if the channel is not connected. */
  send(message: { type: string; epoch: number }): boolean;
  /** Called when this daemon begins to lead, and when it leads again after its lease had ended. */
  onLead(): void;
  log: Log;
  now?: () => number;
}

/** Renewals in each lease: two may get lost. */
const RENEWALS = 3;

/**
 * Knows whether this daemon leads its cluster. The daemon of an ordinary server always does, because it never hears of
 * leadership.
 */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #now: () => number;
  #isMember = false;
  #epoch: number | undefined;
  #until = 0;
  /** When the renewal was sent that the service answers next. */
  #askedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LeadershipOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Whether this daemon may begin something. */
  leads(): boolean {
    return !this.#isMember || (this.#epoch !== undefined && this.#now() < this.#until);
  }

  /** Epoch of its leadership, which requests to the service name; undefined for an ordinary server. */
  get epoch(): number | undefined {
    return this.#epoch;
  }

  heard({ leads, epoch, lease_ms }: LeadershipMessage): void {
    const led = this.#isMember && this.leads();
    this.#isMember = true;
    clearTimeout(this.#timer);
    if (!leads) {
      this.#epoch = undefined;
      if (led) this.#options.log.warn('another member leads the cluster now');
      return;
    }
    const isNew = this.#epoch !== epoch;
    this.#epoch = epoch;
    // The service counts from before its answer; the time of the request is earlier still.
    this.#until = (this.#askedAt ?? this.#now()) + lease_ms;
    this.#askedAt = undefined;
    const renew = () => this.#renew(lease_ms / RENEWALS);
    this.#timer = setTimeout(guarded(this.#options.log, renew), lease_ms / RENEWALS);
    if (isNew) this.#options.log.info('this daemon leads the cluster', { epoch });
    if (isNew || !led) this.#options.onLead();
  }

  /** Lets another member take over at once. */
  stop(): void {
    clearTimeout(this.#timer);
    if (this.#epoch !== undefined) this.#options.send({ type: 'leadership_release', epoch: this.#epoch });
    this.#epoch = undefined;
  }

  #renew(everyMs: number): void {
    if (this.#epoch === undefined) return;
    const sentAt = this.#now();
    if (this.#options.send({ type: 'leadership_renewal', epoch: this.#epoch })) this.#askedAt ??= sentAt;
    const renew = () => this.#renew(everyMs);
    // Repeated until an answer comes, which sets the timer again.
    this.#timer = setTimeout(guarded(this.#options.log, renew), everyMs);
  }
}
