import type { GardenDefinition } from '@hortus/garden/format';
import type { PresentDefinition } from './present-definitions.ts';

/** Servers and tenants of the account. */
export interface Places {
  /** Whether the caller may read servers, so that problems name those left out. */
  readonly mayName?: boolean;
  readonly servers: readonly {
    readonly id: string;
    readonly name: string;
    readonly status: string;
    readonly trusted: boolean;
    readonly labels: Readonly<Record<string, string>>;
  }[];
  readonly tenants: readonly {
    readonly id: string;
    readonly name: string;
    readonly slug: string;
    readonly server_id: string;
  }[];
}

export interface Place {
  readonly serverId: string;
  /** Name of the server, for people. */
  readonly server: string;
  readonly tenantId: string | null;
  /** Slug of the tenant. */
  readonly tenant: string | null;
}

type Report = (field: string, message: string) => void;

/** Finds the server of each definition; an existing definition stays where it is if its placement allows that. */
export class Placing {
  readonly #places: Places;
  readonly #present: ReadonlyMap<string, PresentDefinition>;
  /** Number of definitions by server, including those of this plan. */
  readonly #load = new Map<string, number>();

  constructor(places: Places, present: ReadonlyMap<string, PresentDefinition>) {
    this.#places = places;
    this.#present = present;
    for (const { row } of present.values()) this.#add(row.server_id);
  }

  /** Returns undefined after a report if there is no such place. */
  of(uid: string, definition: GardenDefinition, report: Report): Place | undefined {
    const { tenant: wanted, server, placement } = definition;
    const tenant = wanted === undefined ? undefined : this.#tenant(wanted);
    if (wanted !== undefined && !tenant) return void report('tenant', `there is no tenant ${wanted}`);
    const existing = this.#present.get(uid)?.row.server_id;
    const serverId = this.#serverId({ server, placement, existing, tenantServer: tenant?.server_id }, report);
    if (serverId === undefined) return undefined;
    if (tenant && tenant.server_id !== serverId) return void report('tenant', `${wanted} is on another server`);
    if (existing === undefined) this.#add(serverId);
    return { serverId, server: this.#nameOf(serverId), tenantId: tenant?.id ?? null, tenant: tenant?.slug ?? null };
  }

  #serverId(
    input: {
      readonly server: string | undefined;
      readonly placement: GardenDefinition['placement'];
      readonly existing: string | undefined;
      readonly tenantServer: string | undefined;
    },
    report: Report,
  ): string | undefined {
    if (input.server !== undefined) return this.#server(input.server, (message) => report('server', message));
    if (input.placement === undefined)
      return this.#isTrusted(input.tenantServer, (message) => report('tenant', message))
        ? input.tenantServer
        : undefined;
    const named = input.placement.servers?.map((server) =>
      this.#server(server, (message) => report('placement.servers', message)),
    );
    if (named?.includes(undefined)) return undefined;
    const labels = Object.entries(input.placement.labels ?? {});
    const allowed = this.#places.servers.filter(
      (server) =>
        (named === undefined || named.includes(server.id)) &&
        labels.every(([key, value]) => server.labels[key] === value),
    );
    // Staying counts as a choice too: the values of this file would go to the person who registered the server.
    if (input.existing !== undefined && allowed.some(({ id }) => id === input.existing))
      return this.#isTrusted(input.existing, (message) => report('placement', message)) ? input.existing : undefined;
    // Sorted by name: of equally loaded servers the first is taken.
    const working = allowed.filter(({ status }) => status !== 'disabled' && status !== 'draining');
    const free = working.filter(({ trusted }) => trusted);
    const [best] = free.sort(
      (a, b) =>
        Number(b.status === 'online') - Number(a.status === 'online') || this.#loadOf(a.id) - this.#loadOf(b.id),
    );
    if (!best)
      report(
        'placement',
        working.length > 0
          ? `none of its servers is trusted${this.#places.mayName ? ` (${namesOf(working)})` : ''}; rotate the key of one to trust it, or name it as server`
          : labels.length > 0
            ? 'no server with these labels takes new work'
            : 'none of the servers takes new work',
      );
    return best?.id;
  }

  #server(word: string, report: (message: string) => void): string | undefined {
    const found = this.#places.servers.filter(({ id, name }) => id === word || name === word);
    if (found.length > 1) report(`${word} is the name of several servers; give an id`);
    else if (found.length === 0) report(`there is no server ${word}`);
    return found.length === 1 ? found[0]?.id : undefined;
  }

  /** Reports a server that was not named in the file and is not trusted; without a server there is nothing to report. */
  #isTrusted(serverId: string | undefined, report: (message: string) => void): boolean {
    const server = this.#places.servers.find(({ id }) => id === serverId);
    if (!server || server.trusted) return true;
    const name = this.#places.mayName ? ` (${server.name})` : '';
    report(
      `its server is not trusted${name}; rotate the key of that server to trust it, or name it in the field server`,
    );
    return false;
  }

  #tenant(word: string) {
    const { tenants } = this.#places;
    return tenants.find(({ id, slug }) => id === word || slug === word) ?? tenants.find(({ name }) => name === word);
  }

  #nameOf(serverId: string): string {
    return this.#places.servers.find(({ id }) => id === serverId)?.name ?? serverId;
  }

  #loadOf(serverId: string): number {
    return this.#load.get(serverId) ?? 0;
  }

  #add(serverId: string): void {
    this.#load.set(serverId, this.#loadOf(serverId) + 1);
  }
}

/** A problem is read by people: a few names are enough. */
const MAX_NAMED = 5;

const namesOf = (servers: Places['servers']): string => {
  const more = servers.length - MAX_NAMED;
  return `${servers
    .slice(0, MAX_NAMED)
    .map(({ name }) => name)
    .join(', ')}${more > 0 ? `, ${more} more` : ''}`;
};
