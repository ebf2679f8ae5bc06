import type { Manifest } from '@hortus/contract/template/manifest';
import type { Queries } from '../../storage/storage.ts';
import { reservationOf } from './room.ts';

/** What a deployed revision takes of its server. */
export interface Footprint {
  /** Reserved memory in bytes. */
  readonly memory: number;
  /** Ports of the server that it publishes, as `8080/tcp`. */
  readonly ports: readonly string[];
}

export const footprintOf = (manifest: Pick<Manifest, 'components'>): Footprint => ({
  memory: reservationOf(manifest).memory,
  ports: manifest.components.flatMap(({ ports }) =>
    ports.flatMap(({ host_port, protocol }) => (host_port === undefined ? [] : `${host_port}/${protocol}`)),
  ),
});

/** Limit of cached revisions. */
const MAX_KNOWN = 10_000;

export type ResolveRevision = (
  queries: Queries,
  accountId: string,
  definitionId: string,
  revision: number,
) => Promise<{ readonly manifest: Manifest }>;

/** Knows the footprints of revisions. Cached, because a revision never changes and computing it decrypts secrets. */
export class Footprints {
  readonly #resolve: ResolveRevision;
  readonly #known = new Map<string, Footprint>();

  constructor(resolve: ResolveRevision) {
    this.#resolve = resolve;
  }

  async of(queries: Queries, accountId: string, definitionId: string, revision: number): Promise<Footprint> {
    const key = `${definitionId} ${revision}`;
    const known = this.#known.get(key);
    if (known) return known;
    const { manifest } = await this.#resolve(queries, accountId, definitionId, revision);
    const footprint = footprintOf(manifest);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, footprint);
    return footprint;
  }
}
