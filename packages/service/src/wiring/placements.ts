import { capacitiesOf, type Footprints } from '../resources/capacity/public.ts';
import { countDefinitionsOnEach, currentRevisionsOn } from '../resources/definitions/public.ts';
import { routeHolder, unfinishedOn } from '../resources/deployments/public.ts';
import { livingOn } from '../resources/instances/public.ts';
import { incomingOn } from '../resources/migrations/public.ts';
import { Placements } from '../resources/servers/placement/placements.ts';
import type { Queries } from '../storage/storage.ts';

/** Creates the choice of servers, which asks other resources what runs on them. */
export const makePlacements = (reader: Queries, footprints: Footprints): Placements =>
  new Placements({
    reader,
    capacities: capacitiesOf,
    countDefinitions: countDefinitionsOnEach,
    occupants: async (queries, serverId) => [
      ...(await currentRevisionsOn(queries, serverId)),
      ...(await livingOn(queries, serverId)),
      ...(await unfinishedOn(queries, serverId)),
      ...(await incomingOn(queries, serverId)),
    ],
    footprint: (queries, ...args) => footprints.of(queries, ...args),
    async clash(queries, serverId, routes, except) {
      for (const { host, path } of routes) {
        const holder = await routeHolder(queries, { serverId, host, path, definitionId: '' });
        if (holder !== undefined && !except.includes(holder)) return { host };
      }
      return undefined;
    },
  });
