import type { EndpointName } from '@hortus/contract/endpoints';
import type { Handlers } from '../../../http/handler.ts';
import { fakeAuthenticator, serve } from '../../../http/testing/serve.ts';
import { unauthorized } from '../../../problem.ts';
import type { Engine } from '../../../testing/engines.ts';
import { type DeploymentServices, openDeploymentServices } from './deployment-services.ts';

/** Serves the deployment services over HTTP to an owner, the daemon of the definition's server and a second daemon. */
export async function serveDefinition(
  engine: Engine,
  handlersOf: (services: DeploymentServices) => Partial<Handlers<EndpointName>>,
) {
  const services = await openDeploymentServices(engine);
  const owner = await services.account();
  const daemon = await services.server(owner);
  const callers = { owner, daemon, other: await services.server(owner) };
  const { id: definition_id } = await services.definition(owner, daemon.serverId, { SMTP_PASSWORD: SECRET });
  const find = (authorization = '') => callers[authorization.slice('Bearer '.length) as keyof typeof callers];
  const served = await serve({
    storage: services.storage,
    vault: services.vault,
    config: { trustedProxies: ['127.0.0.0/8'] },
    authenticator: {
      ...fakeAuthenticator,
      authenticate: async ({ authorization }) => find(authorization) ?? Promise.reject(unauthorized()),
      fromCache: find,
    },
    handlers: handlersOf(services),
  });
  engine.afterwards(() => served.http.close());

  async function ask(
    as: keyof typeof callers,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ) {
    const response = await served.fetch(`/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${as}`, ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return { status: response.status, json: (await response.json()) as any };
  }
  return { services, callers, definition_id, ask };
}

/** Secret input of the definition; no response may contain it. */
export const SECRET = 'hunter2hunter2';
