import type { Fingerprint } from '@hortus/contract/records/fingerprint';
import type { NetworkUsage } from '@hortus/contract/records/network-usage';
import { VERSION } from '@hortus/contract/releases/version';
import type { CapacityReport } from '@hortus/contract/resources/capacity';
import type { DaemonError } from '@hortus/contract/resources/diagnostics';
import { openLog } from '@hortus/logging/log';
import { loggable } from '@hortus/logging/loggable';
import { redact } from '@hortus/logging/redact';
import { type DaemonConfig, DEFAULT_SOCKET, readConfig, stateDirectoryOf } from '../config/config.ts';
import { openDockerEngine } from '../engine/docker/docker-engine.ts';
import type { Engine } from '../engine/engine.ts';
import { fingerprintOf } from '../fingerprint/fingerprint.ts';
import { daemonOf } from '../journal/state-directory.ts';
import { CapacityMeter } from '../metrics/capacity.ts';
import { NetworkPool } from '../networks/network-pool.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { Policy } from '../policy/policy.ts';
import { policyFileOf, readPolicy } from '../policy/read-policy.ts';
import { UpdateStore } from '../update/update-record.ts';
import { secretsOf } from './daemon-log.ts';
import { readErrors } from './error-file.ts';
import { operatingSystem } from './system.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** State of the daemon and its server, without secrets. */
export interface Examination {
  readonly versions: { readonly hortusd: string; readonly node: string; readonly os: string; readonly arch: string };
  readonly state_directory: string;
  /** Id of the running daemon; null if none uses the state directory. */
  readonly process: number | null;
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly policy: Policy | null;
  readonly engine: Fingerprint | null;
  readonly limits: { readonly capacity: CapacityReport | null; readonly networks: NetworkUsage | null };
  readonly update: { readonly current: string | null; readonly last: Readonly<Record<string, unknown>> | null };
  /** What prevents the daemon from working now. */
  readonly problems: readonly string[];
  /** Newest first. */
  readonly errors: readonly DaemonError[];
}

/** Examines the server without the service, and without a lock, so that it works whether the daemon runs or not. */
export async function examine(options: RunOptions, env: Environment): Promise<Examination> {
  const problems: string[] = [];
  const attempt = <Result>(what: string, work: () => Result): Result | null => {
    try {
      return work();
    } catch (error) {
      problems.push(`${what}: ${(error as Error).message}`);
      return null;
    }
  };
  const state_directory = stateDirectoryOf(options, env);
  const config = attempt('settings', () => readConfig(options, env));
  const process_id = daemonOf(state_directory) ?? null;
  if (process_id === null) problems.push('daemon: not running with this state directory');
  const { engine, networks } = await examineEngine(options, env, config, problems);
  const { current, last } = new UpdateStore(state_directory).record;
  const hidden = config ? secretsOf(config) : [];
  return {
    versions: { hortusd: VERSION, node: process.versions.node, os: operatingSystem(), arch: process.arch },
    state_directory: redact(state_directory, hidden),
    process: process_id,
    config: config && loggable(config, hidden),
    policy: attempt('policy', () => readPolicy(policyFileOf(state_directory))),
    engine,
    limits: { capacity: await new CapacityMeter(state_directory).read().catch(() => null), networks },
    update: {
      current: current?.version ?? null,
      last: last
        ? loggable({
            version: last.order.release.version,
            state: last.state,
            reason: last.reason,
            message: last.message,
          })
        : null,
    },
    problems: problems.map((problem) => redact(problem, hidden)),
    errors: readErrors(state_directory).reverse(),
  };
}

async function examineEngine(options: RunOptions, env: Environment, config: DaemonConfig | null, problems: string[]) {
  const socketPath = options['docker-socket'] ?? env.HORTUSD_DOCKER_SOCKET ?? DEFAULT_SOCKET;
  const docker = openDockerEngine({ socketPath });
  const failed = (error: Error) => {
    problems.push(`engine: ${error.message}`);
    return null;
  };
  try {
    await docker.info();
    const engine = (await fingerprintOf({ engine: docker, ingress: { version: async () => undefined } })) ?? null;
    return { engine, networks: await networksOf(docker, config).catch(failed) };
  } catch (error) {
    return { engine: null, networks: failed(error as Error) };
  } finally {
    docker.close();
  }
}

const networksOf = (engine: Engine, config: DaemonConfig | null): Promise<NetworkUsage> =>
  new NetworkPool({ engine, pool: config?.networkPool, log: openLog({ level: 'silent' }) }).usage();
