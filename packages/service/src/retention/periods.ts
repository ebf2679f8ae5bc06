/** Retention in days; 0 keeps rows forever. */
export interface Retention {
  readonly events: number;
  readonly deliveries: number;
  /** Logs of deployments and output of actions. */
  readonly logs: number;
  readonly idempotency: number;
  /** Usage of servers and instances. */
  readonly metrics: number;
  /** Shell sessions and their recordings. */
  readonly recordings: number;
}

/** Days by which retention rules remove rows; undefined keeps them. */
export type Periods = { readonly [Name in keyof Retention]: number | undefined };

export const periodsOf = ({ events, deliveries, logs, idempotency, metrics, recordings }: Retention): Periods => ({
  events: events || undefined,
  deliveries: deliveries || undefined,
  logs: logs || undefined,
  idempotency: idempotency || undefined,
  metrics: metrics || undefined,
  recordings: recordings || undefined,
});

export const defaultRetention: Retention = {
  events: 90,
  deliveries: 30,
  logs: 30,
  idempotency: 1,
  metrics: 7,
  recordings: 30,
};

/** A delivery needs its event while it is retried, which is a day. */
export const minDays: Readonly<Record<keyof Retention, number>> = {
  events: 2,
  deliveries: 2,
  logs: 1,
  idempotency: 1,
  metrics: 1,
  recordings: 1,
};
