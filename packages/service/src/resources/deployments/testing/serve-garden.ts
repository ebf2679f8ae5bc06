import type { EndpointName } from '@hortus/contract/endpoints';
import type { Handlers } from '../../../http/handler.ts';
import { fakeAuthenticator, serve } from '../../../http/testing/serve.ts';
import { unauthorized } from '../../../problem.ts';
import type { Engine } from '../../../testing/engines.ts';
import { type Garden, plantGarden } from './garden.ts';

/** The garden behind HTTP: an owner, the daemon of the server that a definition is planted on, and another daemon. */
export async function serveGarden(engine: Engine, handlersOf: (garden: Garden) => Partial<Handlers<EndpointName>>) {
  const garden = await plantGarden(engine);
  const owner = await garden.account();
  const daemon = await garden.server(owner);
  const callers = { owner, daemon, other: await garden.server(owner) };
  const { id: definition_id } = await garden.definition(owner, daemon.serverId, { SMTP_PASSWORD: SECRET });
  const find = (authorization = '') => callers[authorization.slice('Bearer '.length) as keyof typeof callers];
  const served = await serve({
    storage: garden.storage,
    vault: garden.vault,
    config: { trustedProxies: ['127.0.0.0/8'] },
    authenticator: {
      ...fakeAuthenticator,
      authenticate: async ({ authorization }) => find(authorization) ?? Promise.reject(unauthorized()),
      fromCache: find,
    },
    handlers: handlersOf(garden),
  });
  engine.afterwards(() => served.http.close());

  async function ask(
    as: keyof typeof callers,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ) {
    const answer = await served.fetch(`/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${as}`, ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return { status: answer.status, json: (await answer.json()) as any };
  }
  return { garden, callers, definition_id, ask };
}

/** What the definition must keep to itself. */
export const SECRET = 'hunter2hunter2';
