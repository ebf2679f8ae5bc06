import { type Fingerprint, lacksOf } from '@hortus/contract/records/fingerprint';
import type { ConsideredServer } from '@hortus/contract/resources/placement-records';
import type { ServerLabels } from '@hortus/contract/resources/server-records';
import type { Manifest } from '@hortus/contract/template/manifest';

/** What is known about a server without looking at what runs there. */
export interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly labels: ServerLabels;
  readonly arch: string | undefined;
  readonly fingerprint: Fingerprint | null;
  /** Whether its key was handed to someone with `data:export`. */
  readonly trusted: boolean;
  /** Undefined before the first report. */
  readonly capacity:
    | { readonly memory: number; readonly memoryUsed: number; readonly cores: number; readonly diskUsedPercent: number }
    | undefined;
  /** Number of definitions that are not archived. */
  readonly definitions: number;
}

/** What a definition requires of its server. */
export interface Needs {
  readonly labels: ServerLabels;
  readonly arch?: string | undefined;
  /** Servers to choose from, and why only these. */
  readonly only?: { readonly ids: readonly string[]; readonly why: string } | undefined;
  /** Reserved memory in bytes. */
  readonly memory: number;
  /** Cores of the component with the largest limit. */
  readonly cores: number;
  /** Ports of the server, as `8080/tcp`. */
  readonly ports: readonly string[];
  readonly manifest: Pick<Manifest, 'components' | 'routes'>;
  /** The server that it leaves. */
  readonly leaving?: string;
  /** Definitions that are moved, which do not count on their target. */
  readonly moved?: readonly string[];
}

/** What is taken on a server. */
export interface Occupancy {
  readonly memory: number;
  readonly ports: ReadonlySet<string>;
  /** Hosts of the needs that other definitions use there. */
  readonly hosts: readonly string[];
}

export type Lacking = ConsideredServer['lacking'];

/** A server that is nearly full should not get more. */
const FULL_DISK_PERCENT = 95;
/** Counted for a definition without a reservation, so that many of them are spread too. */
export const ASSUMED_MEMORY = 64 * 2 ** 20;

/** Lists what a server does not meet. Without its occupancy, only what is known of the server itself. */
export function lackingOf(candidate: Candidate, needs: Needs, taken?: Occupancy): Lacking {
  const lacking: Lacking = [];
  const lack = (reason: Lacking[number]['reason'], message: string) => lacking.push({ reason, message });
  const { status, labels, capacity, fingerprint } = candidate;
  if (candidate.id === needs.leaving) lack('elsewhere', 'is the server to leave');
  if (needs.only && !needs.only.ids.includes(candidate.id)) lack('elsewhere', needs.only.why);
  if (status !== 'online') lack('status', `is ${status}`);
  for (const [key, value] of Object.entries(needs.labels))
    if (labels[key] !== value)
      lack('label', Object.hasOwn(labels, key) ? `has ${key}=${labels[key]}, not ${value}` : `has no label ${key}`);
  const arch = fingerprint?.arch ?? candidate.arch;
  if (needs.arch !== undefined && arch !== needs.arch) lack('architecture', `is ${arch ?? 'of unknown architecture'}`);
  // Otherwise a key with servers:write alone could register a server with much room and receive the next secrets.
  if (!candidate.trusted)
    lack(
      'trust',
      'is not trusted, because its key was given to someone without data:export; rotate its key to trust it',
    );
  if (fingerprint) for (const { message } of lacksOf(needs.manifest, fingerprint)) lack('engine', message);
  if (capacity) {
    if (needs.cores > capacity.cores) lack('cpu', `has ${capacity.cores} cores, needs ${needs.cores}`);
    if (capacity.diskUsedPercent >= FULL_DISK_PERCENT) lack('disk', `${capacity.diskUsedPercent}% of its disk is used`);
    const free = Math.max(0, capacity.memory - (taken?.memory ?? 0));
    if (needs.memory > free) lack('memory', `has ${free} bytes of memory to reserve, needs ${needs.memory}`);
  }
  const [used, ...more] = needs.ports.filter((port) => taken?.ports.has(port));
  if (used !== undefined)
    lack('port', `port ${used} is in use${more.length > 0 ? `, and ${more.length} more that it needs` : ''}`);
  for (const host of taken?.hosts ?? []) lack('route', `${host} is in use`);
  return lacking;
}

/** Memory in bytes that is neither used nor reserved; null if unknown. */
export function freeMemory({ capacity, definitions }: Candidate, taken?: Occupancy): number | null {
  if (!capacity) return null;
  const reserved = Math.max(taken?.memory ?? 0, definitions * ASSUMED_MEMORY);
  return Math.max(0, capacity.memory - Math.max(capacity.memoryUsed, reserved));
}

export interface Ranked {
  readonly candidate: Candidate;
  readonly free: number | null;
}

/** Orders the best first: most free memory, then fewest definitions, then the oldest. Never equal for two servers. */
export const byRoom = (a: Ranked, b: Ranked): number =>
  (b.free ?? -1) - (a.free ?? -1) ||
  a.candidate.definitions - b.candidate.definitions ||
  (a.candidate.id < b.candidate.id ? -1 : 1);
