import type { Caller } from '../running-service.ts';
import { fresh, type GoodRequests } from './good.ts';

const connection = () => ({
  name: fresh('Office mail'),
  class: 'email.smtp',
  attributes: { host: 'smtp.example.org', port: '587', username: 'noreply', password: 'hunter2hunter2' },
});

const ofConnection = async ({ client }: Caller) => ({
  params: { id: (await client.call('connections.create', { body: connection() })).data.id },
});

export const connectionRequests = {
  'connections.list': async (caller) => {
    await ofConnection(caller);
    return { query: { class: 'email.smtp' } };
  },
  'connections.providers': () => ({ query: { class: 'http.blog' } }),
  'connections.create': () => ({ body: connection() }),
  'connections.read': ofConnection,
  'connections.update': async (caller) => ({
    ...(await ofConnection(caller)),
    body: { name: fresh('Another mail'), attributes: { username: null, port: '465', password: 'hunter3hunter3' } },
  }),
} satisfies Partial<GoodRequests>;
