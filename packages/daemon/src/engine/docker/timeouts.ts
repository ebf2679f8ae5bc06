/**
 * How long the engine may take, by class of call. A call past its time fails; the daemon goes on. They are far above what a
 * loaded machine needs, because giving up on a slow engine costs a deployment.
 */
export interface Timeouts {
  /** Reads and small changes of the engine's own records. */
  quick: number;
  /** Calls that make file systems, networks or processes. */
  heavy: number;
  /** Beyond the grace period the container itself has. */
  stop: number;
  /** Between two signs of life of a download or a log. */
  silence: number;
  /** From the removal of containers until the engine has released their endpoints. */
  endpoints: number;
}

export const standardTimeouts: Timeouts = {
  quick: 15_000,
  heavy: 120_000,
  stop: 30_000,
  silence: 120_000,
  endpoints: 30_000,
};
