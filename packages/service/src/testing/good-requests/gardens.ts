import type { Caller } from '../running-service.ts';
import { fresh, type GoodRequests } from './good.ts';
import { aServer } from './servers.ts';

const files = async (caller: Caller) => ({
  garden: {
    name: fresh('garden'),
    definitions: {
      [fresh('blog')]: {
        species: 'inkwell',
        server: await aServer(caller),
        inputs: { WEB_HOSTNAME: `${fresh('blog')}.example.org`, SMTP_PASSWORD: '${env.SMTP_PASSWORD}' },
      },
    },
  },
  templates: [],
  values: { 'env.SMTP_PASSWORD': 'hunter2hunter2' },
  prune: false,
});

const aRun = async (caller: Caller) => (await caller.client.call('gardens.apply', { body: await files(caller) })).data;

const ofGarden = async (caller: Caller) => ({ params: { id: (await aRun(caller)).garden_id } });
const ofRun = async (caller: Caller) => ({ params: { id: (await aRun(caller)).id } });

export const gardenRequests = {
  'gardens.plan': async (caller) => ({ body: await files(caller) }),
  'gardens.apply': async (caller) => ({ body: await files(caller) }),
  'gardens.list': async (caller) => {
    await aRun(caller);
    return {};
  },
  'gardens.export': () => ({ query: { name: 'all' } }),
  'gardens.read': ofGarden,
  'gardens.delete': async (caller) => {
    // One without changes ends at once, and can be forgotten.
    const body = { garden: { name: fresh('garden') } };
    return { params: { id: (await caller.client.call('gardens.apply', { body })).data.garden_id } };
  },
  'gardens.runs': async (caller) => ({ ...(await ofGarden(caller)), query: { status: 'applying' } }),
  'gardens.run': ofRun,
  'gardens.cancel': ofRun,
} satisfies Partial<GoodRequests>;
