/** Days that things are kept; 0 keeps them for ever. */
export interface Retention {
  readonly events: number;
  readonly deliveries: number;
  /** Of deployments, and what actions wrote. */
  readonly logs: number;
  readonly idempotency: number;
  /** What servers and instances used. */
  readonly metrics: number;
}

export const defaultRetention: Retention = { events: 90, deliveries: 30, logs: 30, idempotency: 1, metrics: 7 };

/** A delivery needs its event for as long as it is tried, which is a day. */
export const leastDays: Readonly<Record<keyof Retention, number>> = {
  events: 2,
  deliveries: 2,
  logs: 1,
  idempotency: 1,
  metrics: 1,
};
