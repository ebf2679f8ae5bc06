import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@hortus/testkit/port';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { until } from '@hortus/testkit/until';

export interface LoadBalancer {
  readonly process: RunningProcess;
  readonly root: string;
}

/** Header of answers that names the replica. */
const REPLICA_HEADER = 'X-Replica';

/** Waits until the load balancer uses every replica, which it notices by its own checks. */
export async function awaitBalance(root: string, replicas: number): Promise<void> {
  const seen = new Set<string | null>();
  const ask = async () => {
    const { headers } = await fetch(`${root}/ready`);
    return seen.add(headers.get(REPLICA_HEADER)).size >= replicas;
  };
  await until(ask, { describe: () => `answers of ${replicas} replicas; got ${[...seen].join()}` });
}

/** Starts a Caddy in front of the replicas, with the settings that docs/operate.md shows, and a header for the test. */
export async function startLoadBalancer(folder: string, replicas: readonly string[]): Promise<LoadBalancer> {
  const port = await freePort();
  const root = `http://127.0.0.1:${port}`;
  const file = join(folder, 'Caddyfile');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    file,
    `{
	admin off
	auto_https off
}
${root} {
	bind 127.0.0.1
	reverse_proxy ${replicas.map((replica) => replica.replace('http://', '')).join(' ')} {
		lb_policy least_conn
		lb_try_duration 10s
		fail_duration 2s
		health_uri /ready
		health_interval 1s
		health_timeout 3s
		header_down ${REPLICA_HEADER} {http.reverse_proxy.upstream.hostport}
	}
}
`,
  );
  const process = startProcess(['caddy', 'run', '--config', file, '--adapter', 'caddyfile'], {
    env: { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  await process.waitForHttp(`${root}/ready`, { within: 60_000 });
  return { process, root };
}
