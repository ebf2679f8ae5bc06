import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { openDockerEngine } from '../docker/docker-engine.ts';
import type { Engine } from '../engine.ts';

export interface ServedNetwork {
  name: string;
  /** By the id of the container, or `ep-…` where that is gone. */
  endpoints: Record<string, { Name: string }>;
  /** How many endpoints the engine counts without listing them. */
  lost?: number;
}

/**
 * An engine with one network that behaves as in Docker 20.10: an endpoint is disconnected by the id of its container, or else by
 * its own name. Endpoints without a container are left by faults of a real engine that cannot be provoked.
 */
export async function serveNetwork({
  name,
  endpoints,
  lost = 0,
}: ServedNetwork): Promise<AsyncDisposable & { engine: Engine }> {
  const folder = temporaryFolder('endpoints');
  let isThere = true;
  const responses: Record<string, (body: string) => [status: number, body: unknown]> = {
    'GET /version': () => [200, { ApiVersion: '1.41', MinAPIVersion: '1.12', Os: 'linux', Arch: 'amd64' }],
    'GET /containers/json': () => [200, []],
    'GET /networks': () => [200, isThere ? [{ Name: name, Labels: {} }] : []],
    [`GET /networks/${name}`]: () => (isThere ? [200, { Name: name, Containers: endpoints }] : [404, {}]),
    [`POST /networks/${name}/disconnect`]: (body) => {
      const { Container } = JSON.parse(body) as { Container: string };
      const match = Object.keys(endpoints).find((id) => !id.startsWith('ep-') && id === Container);
      const key = match ?? Object.keys(endpoints).find((id) => endpoints[id]?.Name === Container);
      if (key === undefined) return [404, { message: `No such container: ${Container}` }];
      delete endpoints[key];
      return [200, {}];
    },
    [`DELETE /networks/${name}`]: () => {
      if (Object.keys(endpoints).length + lost > 0) return [403, { message: `network ${name} has active endpoints` }];
      isThere = false;
      return [204, ''];
    },
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const path = (request.url ?? '').replace(/^\/v[\d.]+/, '').replace(/\?.*/, '');
    const [status, reply] = responses[`${request.method} ${path}`]?.(body) ?? [500, {}];
    response.writeHead(status, { 'content-type': 'application/json' }).end(status === 204 ? '' : JSON.stringify(reply));
  });
  const socketPath = join(folder.path, 's');
  server.listen(socketPath);
  await once(server, 'listening');
  const engine = openDockerEngine({ socketPath, timeouts: { endpoints: 200 } });
  return {
    engine,
    async [Symbol.asyncDispose]() {
      engine.close();
      server.closeAllConnections();
      server.close();
      await folder.remove();
    },
  };
}
