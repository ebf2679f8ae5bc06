import { addressOf } from '@hortus/client/request';
import { type EndpointName, endpoints } from '@hortus/contract/endpoints';
import { catalogRequests } from './good-requests/catalog.ts';
import { confirmationRequests } from './good-requests/confirmations.ts';
import { connectionRequests } from './good-requests/connections.ts';
import { daemonUpdateRequests } from './good-requests/daemon-updates.ts';
import { definitionRequests } from './good-requests/definitions.ts';
import { gardenSourceRequests } from './good-requests/garden-sources.ts';
import { gardenRequests } from './good-requests/gardens.ts';
import type { GoodRequests } from './good-requests/good.ts';
import { identityRequests } from './good-requests/identity.ts';
import { importRequests } from './good-requests/imports.ts';
import { instanceRequests } from './good-requests/instances.ts';
import { moveRequests } from './good-requests/moves.ts';
import { notificationRequests } from './good-requests/notifications.ts';
import { serverRequests } from './good-requests/servers.ts';
import { webhookRequests } from './good-requests/webhooks.ts';
import type { Caller, Options } from './running-service.ts';

export const goodRequests: GoodRequests = {
  ...catalogRequests,
  ...connectionRequests,
  ...serverRequests,
  ...daemonUpdateRequests,
  ...definitionRequests,
  ...instanceRequests,
  ...moveRequests,
  ...importRequests,
  ...gardenRequests,
  ...gardenSourceRequests,
  ...confirmationRequests,
  ...webhookRequests,
  ...notificationRequests,
  ...identityRequests,
};

export interface ReadyRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string | number>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly options: Options;
  /** The same row with other values in its path. */
  pathWith(params: Readonly<Record<string, string | number>>): string;
}

/** Creates the good request of a row, to send or to modify. */
export async function goodRequest(name: EndpointName, caller: Caller): Promise<ReadyRequest> {
  const row = endpoints[name];
  const {
    params = {},
    query,
    body,
    headers,
  } = (await goodRequests[name](caller)) as {
    params?: ReadyRequest['params'];
    query?: Record<string, unknown>;
    body?: Record<string, unknown>;
    headers?: Record<string, string>;
  };
  const pathWith = (others: ReadyRequest['params']) =>
    addressOf('', row as never, { params: { ...params, ...others }, query });
  return {
    method: row.method,
    path: pathWith({}),
    params,
    body,
    // A session is accepted only by its cookie; a key would take precedence.
    options: { ...(body && { body }), ...(headers && { headers, key: null }) },
    pathWith,
  };
}
