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

const goodRequests: GoodRequests = {
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

interface Arguments {
  readonly params?: ReadyRequest['params'];
  readonly query?: Record<string, unknown>;
  readonly body?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

const makers: Readonly<Record<string, ((caller: Caller) => object) | undefined>> = goodRequests;

async function argumentsOf(name: EndpointName, caller: Caller): Promise<Arguments> {
  const make = makers[name] ?? makers[name.replace(/\..*/, '.read')];
  if (!make) throw new Error(`${name} has no good request.`);
  return (await make(caller)) as Arguments;
}

/** Creates the good request of a row, to send or to modify. */
export async function goodRequest(name: EndpointName, caller: Caller): Promise<ReadyRequest> {
  const row = endpoints[name];
  const { query, body, headers, ...made } = await argumentsOf(name, caller);
  // A request of the row that reads the record may have more than this row takes.
  const params = Object.fromEntries(Object.entries(made.params ?? {}).filter(([key]) => key in row.params.properties));
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
