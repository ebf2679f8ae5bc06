/** Of a network: its own address, the broadcast address and the gateway. */
const RESERVED = 3;

/** Room for jobs of actions and schedules, and for some more components in later revisions. */
const SPARE = 8;

/** The network of an instance with one or two components; the unit in which the pool is counted. */
export const SMALLEST_NETWORK = 16;

const powerOfTwo = (least: number): number => 2 ** Math.ceil(Math.log2(least));

/** For the lasting network of an instance. While a redeployment takes over, old and new containers are on it together. */
export const instanceNetworkSize = (containers: number): number => powerOfTwo(RESERVED + 2 * containers + SPARE);

/** For the network on which new containers start beside their predecessors, which join it for a while. */
export const besideNetworkSize = (containers: number): number => powerOfTwo(RESERVED + 2 * containers);

/** How many containers a network of so many addresses takes. */
export const containersOn = (addresses: number): number => addresses - RESERVED;
