import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Load {
  readonly url: string;
  readonly connections: number;
  /** Also a part of a second. */
  readonly seconds: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Lua expression of the body, with `n` as a unique number; makes it a POST. */
  readonly body?: string;
  readonly folder: string;
}

export interface Outcome {
  readonly requests: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** Runs Debian's wrk on the second core; a JavaScript generator would need the measured core. */
export async function load(asked: Load): Promise<Outcome> {
  const { url, connections, seconds, folder } = asked;
  const script = join(folder, `load-${process.hrtime.bigint()}.lua`);
  writeFileSync(script, lua(asked));
  // wrk itself counts in whole seconds, and reports when it is interrupted.
  const stopped = Number.isInteger(seconds) ? [] : ['timeout', '--preserve-status', '-s', 'INT', String(seconds)];
  const wrk = ['wrk', '-t', '1', '-c', String(connections), '-d', `${Math.ceil(seconds)}s`, '-s', script, url];
  const args = ['-c', '1', ...stopped, ...wrk];
  const { stdout } = await run('taskset', args).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error('Needs Debian packages: apt-get install wrk util-linux') : error;
  });
  const line = stdout.split('\n').find((text) => text.startsWith('result '));
  if (!line) throw new Error(`wrk printed no result:\n${stdout}`);
  const [requests, microseconds, failures, p99] = line.slice('result '.length).split(' ').map(Number) as [
    number,
    number,
    number,
    number,
  ];
  if (failures > 0) throw new Error(`${failures} of ${requests} requests to ${url} failed.`);
  return { requests, perSecond: requests / (microseconds / 1e6), p99Ms: p99 / 1000 };
}

const lua = ({ url, headers, body }: Load): string => `
${body === undefined ? get(headers) : post(url, headers, body)}
function done(summary, latency)
  local e = summary.errors
  local failures = e.connect + e.read + e.write + e.status + e.timeout
  io.write(string.format('result %d %d %d %d\\n', summary.requests, summary.duration, failures, latency:percentile(99)))
end
`;

const get = (headers: Load['headers']): string =>
  Object.entries(headers)
    .map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`)
    .join('\n');

/**
 * Builds the request here: wrk would rebuild it each time with another header order, and V8 in the service would have to compile
 * for each new object shape.
 */
function post(url: string, headers: Load['headers'], body: string): string {
  const { host, pathname } = new URL(url);
  const lines = Object.entries({ Host: host, ...headers, 'Content-Type': 'application/json' });
  const head = [`POST ${pathname} HTTP/1.1`, ...lines.map((line) => line.join(': ')), 'Content-Length: '].join('\r\n');
  return `
local n = ${Date.now()} * 1000
local head = ${JSON.stringify(head)}
function request()
  n = n + 1
  local body = ${body}
  return head .. #body .. '\\r\\n\\r\\n' .. body
end`;
}
