import type { NetworkUsage } from '@hortus/contract/records/network-usage';

/** Returns for example `4000 free of 4096 in 10.254.0.0/16`. */
export const roomForNetworks = ({ pool, total, free }: NetworkUsage): string =>
  `${free} free of ${total} in ${pool.join(', ')}`;

/** True below a tenth of the pool: a redeployment needs a second network for its instance. */
export const isNearlyFull = ({ total, free }: NetworkUsage): boolean => free * 10 < total;
