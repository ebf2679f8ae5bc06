/** Whether this test run deploys to a Docker Swarm instead of a plain Docker host. */
export const onSwarm = process.env.HORTUS_TEST_ON_SWARM === '1';

/** What a Swarm of one node cannot do or does by itself, and so is not tested there. */
const reasons = {
  drift:
    'Drift is not checked on a cluster: services change only through the Swarm, which restores their tasks itself.',
  pool: 'Overlay networks get their addresses from the Swarm (docker swarm init --default-addr-pool), not from the daemon.',
  podman: 'Podman has no Swarm.',
  polling:
    'A member of a cluster leads by a lease that it renews on its channel, so one that only polls carries out nothing.',
  replaced:
    'A daemon that another one with its key replaces stops to lead and suspends its rollouts; on a server it completes them.',
  outside:
    'The nodes of the Swarm in tests have no way out of this machine, so a copy that is shut in cannot be told from its original.',
} as const;

export type Reason = (typeof reasons)[keyof typeof reasons];

/** Test files of this folder that are left out on a Swarm. */
export const filesNotOnSwarm: Readonly<Record<string, Reason>> = {
  'drift.test.ts': reasons.drift,
  'podman.test.ts': reasons.podman,
  'polling-daemons.test.ts': reasons.polling,
  'two-daemons.test.ts': reasons.replaced,
};

/** Single tests that are left out on a Swarm, by file and name. */
export const testsNotOnSwarm: Readonly<Record<string, Readonly<Record<string, Reason>>>> = {
  'many-instances.test.ts': {
    'instances fill a small address pool, redeploy in it, and fail with a clear error when it is exhausted':
      reasons.pool,
  },
  'rehearsals.test.ts': {
    'a clone has the data of its instance but no way out, neither by address nor by name': reasons.outside,
  },
};
