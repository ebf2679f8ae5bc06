import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { endpointRows } from '@hortus/contract/endpoints';
import { DaemonSocket } from '../daemon-socket.ts';
import { goodRequest } from '../good-requests.ts';
import type { RunningService } from '../running-service.ts';
import { type Hold, LongestHold } from './hold.ts';

export interface RunsOutcome {
  readonly requests: number;
  readonly statuses: Readonly<Record<number, number>>;
  readonly longestHold: Hold;
}

const CHARACTERS = ' /\\.,;:-_=+*#%@{}[]()"\'`$|<>&a0\u00e9\t\r\n';
/** Node refuses requests whose headers have more than 16 KiB together. */
const HEADER_LENGTH = 15_500;
const FIELD_LENGTHS = [64_000, 8_000, 1_000, 250];
const MESSAGE_LENGTH = 8 * 1024 * 1024 - 200;

const HEADERS: Readonly<Record<string, readonly (readonly [before: string, after: string])[]>> = {
  'accept-encoding': [
    ['x;', 'y'],
    ['', ''],
  ],
  accept: [['text/html', ';q=1x']],
  range: [
    ['bytes=', 'x'],
    ['bytes=0', '-x'],
  ],
  cookie: [
    ['a=', ';b'],
    ['', 'hortus_session=x'],
  ],
  'hortus-page-token': [['hpt_', 'x']],
  'sec-websocket-protocol': [
    ['hortus.page-token.', ',x'],
    ['a,', ' '],
  ],
  'x-forwarded-for': [['1.1.1.1', ',x']],
  'x-forwarded-proto': [['https', 'x']],
  forwarded: [['for=', 'x']],
  'last-event-id': [
    ['', 'x'],
    ['1', ''],
  ],
  'if-none-match': [
    ['W/"', '"x'],
    ['', ''],
  ],
  authorization: [
    ['Bearer ', 'x'],
    ['Basic ', '='],
  ],
  'content-type': [['application/json', ';x']],
  'idempotency-key': [['a', 'b']],
  'x-request-id': [['a', 'b']],
  traceparent: [['00-', '-01']],
  origin: [['http://', 'x']],
  referer: [['http://', 'x']],
  'user-agent': [['a', 'b']],
};
const PATHS = ['/', '/docs', '/api/v1/health', '/api/v1/templates', '/api/v1/events/stream', '/mcp'];

/**
 * Sends runs of one character, as long as each place accepts: headers, targets, fields of every endpoint, and messages of a daemon.
 * Measures how long any of them holds the event loop. Every place is used once, however short the time is.
 */
export async function fuzzRuns(
  service: RunningService,
  { seconds }: { readonly seconds: number },
): Promise<RunsOutcome> {
  const hold = new LongestHold();
  const statuses: Record<number, number> = {};
  let requests = 0;
  const count = (status: number) => {
    requests++;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status >= 500) throw new Error(`${hold.during} was answered ${status}.`);
  };
  const end = performance.now() + seconds * 1_000;
  const isOver = () => performance.now() >= end;
  hold.start();
  try {
    for (const [index, character] of [...CHARACTERS].entries()) {
      if (index > 0 && isOver()) break;
      await runsInHeaders(service, character, hold, count);
      await runsInMessages(service, character, hold);
    }
    for (const [index, character] of [...CHARACTERS].entries()) {
      if (index > 0 && isOver()) break;
      const run = character.repeat(FIELD_LENGTHS[index % FIELD_LENGTHS.length] ?? 0);
      await runsInFields(service, run, hold, count, () => index > 0 && isOver());
    }
  } finally {
    hold.stop();
  }
  return { requests, statuses, longestHold: hold.longest };
}

type Count = (status: number) => void;

async function runsInHeaders(service: RunningService, character: string, hold: LongestHold, count: Count) {
  const isAllowed = /^[\t\x20-\x7e]$/.test(character);
  for (const [name, around] of isAllowed ? Object.entries(HEADERS) : [])
    for (const [before, after] of around) {
      const run = `${before}${character.repeat(HEADER_LENGTH - 500)}${after}`;
      for (const path of PATHS) {
        hold.during = `${name} with a run of ${JSON.stringify(character)} at ${path}`;
        const authorization = name === 'authorization' ? {} : { authorization: `Bearer ${service.key}` };
        count(await statusOf(service, path, { ...authorization, [name]: run }));
      }
    }
  for (const path of ['/api/v1/templates?q=', '/api/v1/', '/', '/api/v1/instances?sort=', '/api/v1/events?type=']) {
    hold.during = `${path} with a run of ${JSON.stringify(character)}`;
    const run = encodeURIComponent(character).repeat(
      Math.floor(HEADER_LENGTH / encodeURIComponent(character).length) - 200,
    );
    count(await statusOf(service, path + run, { authorization: `Bearer ${service.key}` }));
  }
}

/** Sends a GET without reading more of the answer than its beginning: some answers have no end. */
function statusOf({ base }: RunningService, path: string, headers: Record<string, string>): Promise<number> {
  const { origin } = new URL(base);
  return new Promise((done, fail) => {
    const sent = request(origin + path, { headers }, (response) => {
      done(response.statusCode ?? 0);
      if (String(response.headers['content-type']).startsWith('text/event-stream')) response.destroy();
      else text(response).catch(() => undefined);
    });
    sent.on('error', fail);
    sent.end();
  });
}

async function runsInMessages(service: RunningService, character: string, hold: LongestHold): Promise<void> {
  const { data } = await service.client.call('servers.register', {
    body: { name: `runs of ${JSON.stringify(character)}`, environment: 'staging' },
  });
  const daemon = new DaemonSocket(`${service.base.replace('http', 'ws')}/ws/server`, {
    auth: { api_key: data.api_key, capabilities: ['ack'] },
  });
  try {
    await daemon.received('authenticated');
    const inText = JSON.stringify(character).slice(1, -1);
    for (const [before, unit, after] of [
      ['{"type":"action_completed","execution_id":"exe_x","output":"', inText, '"}'],
      ['{"type":"', inText, '"}'],
      ['{"type":"action_completed","execution_id":"exe_x","result":{"a":[', '[],', '[]]}}'],
      ['', '[', ''],
      ['{"type":"action_completed"', ' ', '}'],
    ] as const) {
      hold.during = `a message with a run of ${unit} after ${before.slice(0, 60)}`;
      daemon.send(Buffer.from(before + unit.repeat((MESSAGE_LENGTH - 100) / unit.length) + after).toString());
    }
    // Messages are handled in order, so the service has read all of them when it closes the connection.
    daemon.socket.close();
    await daemon.closed;
  } finally {
    daemon.socket.terminate();
  }
}

async function runsInFields(
  service: RunningService,
  run: string,
  hold: LongestHold,
  count: Count,
  isOver: () => boolean,
) {
  for (const [name, row] of endpointRows) {
    if (isOver()) return;
    const good = await goodRequest(name, service);
    if (good.body === undefined) continue;
    for (const place of textsOf(good.body)) {
      const body = replaced(good.body, place, run);
      hold.during = `${name}, ${place.join('.')} with ${run.length} times ${JSON.stringify(run[0])}`;
      count((await service.request(row.method, good.pathWith({}), { body })).status);
    }
  }
}

/** Yields the paths of the texts in a body. */
function* textsOf(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value === 'string') yield path;
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value).slice(0, 20)) yield* textsOf(inner, [...path, key]);
}

function replaced(value: unknown, [step, ...rest]: readonly string[], by: string): unknown {
  if (step === undefined) return by;
  const copy: Record<string, unknown> = { ...(value as object) };
  copy[step] = replaced(copy[step], rest, by);
  return Array.isArray(value) ? Object.values(copy) : copy;
}
