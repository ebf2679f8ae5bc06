import type { gardenSourceEndpoints } from '@hortus/contract/resources/garden-sources';
import type { Handlers } from '../../../http/handler.ts';
import type { GardenCommits } from './commits.ts';
import type { GardenSources } from './service.ts';

export const gardenSourceRoutes = (
  sources: GardenSources,
  commits: GardenCommits,
): Handlers<keyof typeof gardenSourceEndpoints> => ({
  'gardens.follow': async ({ principal, body, write }) => {
    await sources.check(body);
    return write(async (tx) => ({ success: true, data: await sources.follow(tx, principal, body) }));
  },
  'gardens.update': async ({ principal, params, body, write }) => {
    await sources.check(body);
    return write(async (tx) => ({ success: true, data: await sources.update(tx, principal, params.id, body) }));
  },
  'gardens.sync': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await sources.sync(tx, principal, params.id, body.again ?? false) })),
  'gardens.commits': async ({ principal, params, query }) => ({
    success: true,
    ...(await commits.list(principal, { gardenId: params.id, status: query.status }, query)),
  }),
  'gardens.commit': async ({ principal, params }) => ({ success: true, data: await commits.read(principal, params) }),
  'gardens.approve': async ({ principal, params, body, write }) => {
    const prepared = await commits.prepareApproval(principal, params, body.plan_hash);
    return write(async (tx) => ({ success: true, data: await commits.approve(tx, principal, params, prepared) }));
  },
  'gardens.reject': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await commits.reject(tx, principal, params, body.comment) })),
  'gardens.drift': async ({ principal, params }) => ({
    success: true,
    data: await commits.drift(principal, params.id),
  }),
});
