import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { openGate } from './test/gate.ts';

const COUNT = 2_000;
const MOST_BYTES_EACH = 11 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What this process holds in memory that it could not give back. */
function held(): number {
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it.runIf(process.env.HORTUS_TEST_LONG)(
  `${COUNT} idle connections hold little memory and none when they are gone`,
  async () => {
    await using gate = await openGate({ times: { pingEveryMs: 2_000 } });
    // What is made once and for all is made before.
    const { daemon: first } = await gate.daemon('srv_first');
    await first.received('ping');
    const before = held();
    const url = `${gate.served.url.replace('http', 'ws')}/ws/server`;
    const daemons = fork(new URL('./test/idle-daemons.ts', import.meta.url), [url, String(COUNT)], { execArgv: [] });
    try {
      await once(daemons, 'message');
      await until(() => gate.gateway.size === COUNT + 1, { describe: 'all daemons to be connected' });
      // Two rounds, so that every connection has sent and received.
      const [connection] = gate.gateway.connections();
      const since = Date.now() + 4_000;
      await until(() => (connection?.heardAt ?? 0) > since, { describe: 'two rounds of pings', within: 20_000 });
      const each = (held() - before) / COUNT;
      console.log(`${Math.round(each)} bytes for each of ${COUNT} idle connections`);
      expect(each).toBeLessThan(MOST_BYTES_EACH);
    } finally {
      daemons.kill('SIGKILL');
    }
    await until(() => gate.gateway.size === 1, { describe: 'all to be gone' });
    expect(gate.gone).toHaveLength(COUNT);
    gate.gone.length = 0;
    expect((held() - before) / COUNT).toBeLessThan(1024);
  },
  120_000,
);
