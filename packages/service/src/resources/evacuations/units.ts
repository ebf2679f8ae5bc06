import type { PlacementWish } from '@hortus/contract/resources/placement-records';
import { Problem } from '../../problem.ts';
import type { Queries } from '../../storage/storage.ts';
import { type DefinitionRow, needsOf } from '../definitions/public.ts';
import type { Needs } from '../servers/public.ts';
import type { EvacuationResources } from './resources.ts';

/** What moves together: a definition, or a tenant with all of its definitions. */
export interface Unit {
  readonly tenantId: string | null;
  readonly definitionId: string | null;
  readonly name: string;
  readonly definitions: readonly DefinitionRow[];
}

/** Lists what has to leave a server. */
export async function unitsOn(
  queries: Queries,
  { definitionsOn, tenantsOn }: EvacuationResources,
  accountId: string,
  serverId: string,
): Promise<Unit[]> {
  const definitions = await definitionsOn(queries, accountId, serverId);
  const alone = definitions.filter(({ tenant_id }) => tenant_id === null);
  const tenants = await tenantsOn(queries, accountId, serverId);
  const ofTenants = tenants.map(({ id, name }) => ({
    ...{ tenantId: id, definitionId: null, name },
    definitions: definitions.filter(({ tenant_id }) => tenant_id === id),
  }));
  return [
    // An empty tenant has nothing on the server, and one that never ran cannot be migrated.
    ...ofTenants.filter((tenant) => tenant.definitions.length > 0),
    ...alone.map((item) => ({ tenantId: null, definitionId: item.id, name: item.name, definitions: [item] })),
  ];
}

export interface Leaving {
  readonly accountId: string;
  readonly serverId: string;
  readonly placement: PlacementWish | undefined;
}

/** What the target of a unit must have. Data is not moved between architectures. */
export async function needsOfUnit(
  queries: Queries,
  { runningRevision, manifest, server }: EvacuationResources,
  { accountId, serverId, placement }: Leaving,
  { definitions }: Unit,
): Promise<Needs> {
  const parts: ReturnType<typeof needsOf>[] = [];
  for (const definition of definitions) {
    const revision = await runningRevision(queries, definition.id);
    if (revision === null) continue;
    try {
      parts.push(needsOf(await manifest(queries, definition, revision)));
    } catch (error) {
      // Its migration is refused with this reason.
      if (!(error instanceof Problem)) throw error;
    }
  }
  const source = await server(queries, accountId, serverId);
  const arch = source?.fingerprint?.arch ?? source?.arch;
  return {
    labels: placement?.labels ?? {},
    arch: placement?.arch ?? (parts.length > 0 ? arch : undefined),
    leaving: serverId,
    moved: definitions.map(({ id }) => id),
    memory: parts.reduce((sum, { memory }) => sum + memory, 0),
    cores: Math.max(0, ...parts.map(({ cores }) => cores)),
    ports: parts.flatMap(({ ports }) => ports),
    manifest: {
      components: parts.flatMap((part) => part.manifest.components),
      routes: parts.flatMap((part) => part.manifest.routes),
    },
  };
}
