import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from '@hortus/testkit/port';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import type { startService } from '../service-process.ts';

const REQUESTS = 1_000;
const WARM_UP = 200;

interface Times {
  readonly p50: number;
  readonly p99: number;
}

/** Milliseconds from the request of an action until its daemon has the order. */
export interface DispatchTimes extends Times {
  /** A handler of `node:http` that makes one durable write and answers: no service on this machine is faster. */
  readonly bare: Times;
}

/**
 * Requests actions one by one, each on another daemon, to measure latency without queueing. Takes turns with the bare handler,
 * because the disk and a virtual core are not equally fast all the time.
 */
export async function measureDispatch(
  { base, headers }: Awaited<ReturnType<typeof startService>>,
  instances: readonly string[],
  crowds: readonly RunningProcess[],
): Promise<DispatchTimes> {
  await using folder = temporaryFolder('bare');
  const port = await freePort();
  const command = [process.execPath, 'bench/bare-create.ts', folder.path, String(port)];
  await using bare = startProcess(['taskset', '-c', '0', ...command]);
  await bare.waitForLine('listening');
  // One kept connection and a plain request each: a client that does more competes with the daemons for their core.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ours: number[] = [];
  const limit: number[] = [];
  for (let i = 0; i < WARM_UP + REQUESTS; i++) {
    const id = instances[(i * 7) % instances.length] ?? '';
    const begun = process.hrtime.bigint();
    const response = await post(`${base}/instances/${id}/actions/nothing/execute`, agent, headers);
    const { execution } = JSON.parse(response) as { execution: { id: string } };
    ours.push(Number((await arrival(crowds, execution.id)) - begun) / 1e6);
    const bareBegun = process.hrtime.bigint();
    await post(`http://127.0.0.1:${port}/`, agent);
    limit.push(Number(process.hrtime.bigint() - bareBegun) / 1e6);
  }
  agent.destroy();
  return { ...percentiles(ours.slice(WARM_UP)), bare: percentiles(limit.slice(WARM_UP)) };
}

function post(url: string, agent: Agent, headers: Record<string, string> = {}): Promise<string> {
  const body = '{"params":{}}';
  return new Promise((done, fail) => {
    const sent = request(url, {
      method: 'POST',
      agent,
      headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': body.length },
    });
    sent.on('error', fail);
    sent.on('response', (response) => {
      if ((response.statusCode ?? 500) >= 300) fail(new Error(`${url} answered ${response.statusCode}.`));
      text(response).then(done, fail);
    });
    sent.end(body);
  });
}

/** The time at which a daemon printed the order; all processes of a machine share this clock. */
async function arrival(crowds: readonly RunningProcess[], executionId: string): Promise<bigint> {
  let at: string | undefined;
  const sample = async () => {
    at = crowds
      .map(({ stdout }) => new RegExp(`request ${executionId} (\\d+)\n`).exec(stdout.slice(-1_000))?.[1])
      .find(Boolean);
    return at !== undefined;
  };
  await until(sample, { within: 30_000, every: 2, describe: `the request of ${executionId}` });
  return BigInt(at ?? 0);
}

function percentiles(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return { p50: percentile(0.5), p99: percentile(0.99) };
}
