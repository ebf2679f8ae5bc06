/**
 * Time limits in milliseconds, by class of call. They are far above what a loaded machine needs, because giving up on a
 * slow engine costs a deployment.
 */
export interface Timeouts {
  /** Reads and small changes of the engine's records. */
  quick: number;
  /** Calls that create file systems, networks or processes. */
  heavy: number;
  /** Added to the grace period of the container. The engine needs half a minute to close 500 published ports. */
  stop: number;
  /** Between two pieces of a stream. */
  silence: number;
  /** From the removal of containers until the engine has released their endpoints. */
  endpoints: number;
}

export const standardTimeouts: Timeouts = {
  quick: 15_000,
  heavy: 120_000,
  stop: 120_000,
  silence: 120_000,
  endpoints: 30_000,
};
