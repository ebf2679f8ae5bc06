import type { Endpoint, ResponseOf } from '@hortus/contract/endpoint';
import { type EndpointName, type Endpoints, endpoints } from '@hortus/contract/endpoints';
import type { Principal } from '../identity/principal.ts';
import { BASE_PATH, upToDate } from './api-routes.ts';
import { type CallParts, type CallSource, callOf } from './call.ts';
import type { AccessControl } from './gate.ts';
import type { Handlers } from './handler.ts';
import { type Checks, checksOf } from './validation/checks.ts';

/** On whose behalf the service calls its own endpoint. */
export interface InnerCaller {
  readonly principal: Principal;
  readonly address: string;
  /** Fires if the caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
}

export interface InnerParts {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
}

/** Calls an endpoint from inside the service, with the permission, the rate limit and the checks of a request. */
export type Invoke = <Name extends EndpointName>(
  name: Name,
  caller: InnerCaller,
  parts?: InnerParts,
) => Promise<ResponseOf<Endpoints[Name]>>;

type AnyHandler = (call: unknown) => Promise<unknown>;

export interface InvokeDeps extends CallParts {
  readonly handlers: Handlers<EndpointName>;
  readonly accessControl: Pick<AccessControl, 'requireInside'>;
}

export function invokerOf(deps: InvokeDeps): Invoke {
  const checks = new Map<EndpointName, Checks>();
  return async (name, caller, parts = {}) => {
    const row: Endpoint = endpoints[name];
    deps.accessControl.requireInside(row, caller.principal, caller.address);
    const checksOfRow = checks.get(name) ?? checksOf(row);
    checks.set(name, checksOfRow);
    const call = callOf(deps, row, checksOfRow, sourceOf(row, caller, parts));
    const handler = deps.handlers[name] as unknown as AnyHandler;
    return (await upToDate(handler)({ ...call, gone: () => caller.signal ?? never })) as ResponseOf<
      Endpoints[typeof name]
    >;
  };
}

const never = new AbortController().signal;

function sourceOf(row: Endpoint, { principal, address }: InnerCaller, parts: InnerParts): CallSource {
  const source: CallSource = {
    headers: parts.idempotencyKey === undefined ? {} : { 'idempotency-key': parts.idempotencyKey },
    address,
    peer: address,
    method: row.method,
    path: BASE_PATH + row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(parts.params?.[name])),
    params: texts(parts.params),
    query: texts(parts.query),
    body: parts.body,
    bodyDigest: undefined,
    principal,
    status: row.status,
    // Headers of an answer that is not sent.
    with: () => source,
  };
  return source;
}

/** Half a surrogate pair, which JSON can contain and a URL cannot, would throw. */
const segment = (value: unknown): string => encodeURIComponent(String(value).toWellFormed());

/** Values in paths and queries are texts, as in a URL. */
const texts = (values: InnerParts['params'] = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, String(value)]),
  );
