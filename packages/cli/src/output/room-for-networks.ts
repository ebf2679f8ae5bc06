import type { NetworkUsage } from '@hortus/contract/network-usage';

/** Such as `4000 free of 4096 in 10.254.0.0/16`. */
export const roomForNetworks = ({ pool, total, free }: NetworkUsage): string =>
  `${free} free of ${total} in ${pool.join(', ')}`;

/** A server needs a second network for an instance while it redeploys it; below a tenth of its pool people should act. */
export const isNearlyFull = ({ total, free }: NetworkUsage): boolean => free * 10 < total;
