/** Reserved addresses of a network: network, broadcast and gateway. */
const RESERVED = 3;

/** Spare addresses for jobs of actions and schedules, and for components of later revisions. */
const SPARE = 8;

/** Size of the network of an instance with one or two components; the unit of the pool's usage. */
export const MIN_NETWORK = 16;

const powerOfTwo = (min: number): number => 2 ** Math.ceil(Math.log2(min));

/** Size of the instance's network; during a redeployment it holds old and new containers. */
export const instanceNetworkSize = (containers: number): number => powerOfTwo(RESERVED + 2 * containers + SPARE);

/** Size of the network on which new containers start; their predecessors join it temporarily. */
export const besideNetworkSize = (containers: number): number => powerOfTwo(RESERVED + 2 * containers);

/** Number of containers that fit into a network. */
export const containersOn = (addresses: number): number => addresses - RESERVED;
