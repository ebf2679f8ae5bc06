import type { Endpoint } from '@hortus/contract/endpoint';
import { type EndpointName, endpointRows, endpoints } from '@hortus/contract/endpoints';
import { idPrefixes } from '@hortus/contract/records/names';
import { goodRequest } from '../good-requests.ts';
import { expectPublished, expectShape } from '../published-response.ts';
import type { Caller, TestResponse } from '../running-service.ts';
import { Dice } from './dice.ts';
import { type FuzzRequest, fuzzRequest } from './requests.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly seconds: number;
  /** An answer that takes longer counts as hanging. */
  readonly responseTimeoutMs?: number;
}

export interface FuzzOutcome {
  readonly requests: number;
  readonly rows: number;
  /** Number of answers by status. */
  readonly statuses: Readonly<Record<number, number>>;
}

/** Excludes the keys of the caller itself: revoking one would end the run. */
const anyId = new RegExp(
  `\\b(?:${Object.values(idPrefixes)
    .filter((prefix) => prefix !== 'key' && prefix !== 'usr')
    .join('|')})_[0-9a-z]{26}\\b`,
  'g',
);
const MAX_IDS = 500;
/** Creating a good request takes several calls; so many variations are made of each. */
const OF_ONE_GOOD = 5;

/**
 * Requests every row of the contract in turn, until the time is over but at least once each. Throws at the first answer
 * that breaks a promise, with the request and the seed to reproduce it.
 */
export async function fuzz(caller: Caller, options: FuzzOptions): Promise<FuzzOutcome> {
  const dice = new Dice(options.seed);
  const ids: string[] = [];
  const statuses: Record<number, number> = {};
  const end = performance.now() + options.seconds * 1_000;
  let requests = 0;
  for (let round = 0; round === 0 || performance.now() < end; round++) {
    for (const [name] of endpointRows) {
      const good = await goodRequest(name, caller);
      for (let i = 0; i < OF_ONE_GOOD; i++) {
        if (round > 0 && performance.now() >= end) break;
        const response = await ask(name, caller, fuzzRequest(name, good, dice, ids), options);
        requests++;
        statuses[response.status] = (statuses[response.status] ?? 0) + 1;
        remember(ids, response);
      }
    }
  }
  return { requests, rows: endpointRows.length, statuses };
}

async function ask(
  name: EndpointName,
  caller: Caller,
  request: FuzzRequest,
  options: FuzzOptions,
): Promise<TestResponse> {
  const { responseTimeoutMs = 20_000 } = options;
  try {
    const response = await within(
      responseTimeoutMs,
      caller.request(request.method, request.path, request.options),
      `There was no answer within ${responseTimeoutMs} ms.`,
    );
    check(name, request, response);
    return response;
  } catch (error) {
    const sent = JSON.stringify({ ...request, options: { ...request.options, key: undefined } });
    throw new Error(`${name}, seed ${options.seed}: ${sent.slice(0, 4_000)}`, { cause: error });
  }
}

function check(name: EndpointName, { mustRefuse }: FuzzRequest, response: TestResponse): void {
  const row: Endpoint = endpoints[name];
  if (response.status >= 500) throw new Error(`It answered ${response.status}: ${JSON.stringify(response.json)}`);
  expectPublished(response, row);
  if (response.status < 300 && !row.file) expectShape(row.response, response.json);
  if (response.status < 300 && mustRefuse) throw new Error('It accepted a body that does not match its schema.');
}

function remember(ids: string[], { json }: TestResponse): void {
  ids.push(...(JSON.stringify(json)?.match(anyId)?.slice(0, 5) ?? []));
  if (ids.length > MAX_IDS) ids.splice(0, ids.length - MAX_IDS);
}

async function within<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error(message)), ms);
  try {
    return await Promise.race([work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
