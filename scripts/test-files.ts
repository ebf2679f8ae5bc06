// Which test files a run consists of, and which of them share a process.
import { globSync } from 'node:fs';
import { filesNotOnSwarm } from '../e2e/docker/on-swarm.ts';
import { ImportGraph } from './import-graph.ts';

/**
 * `quick` is `npm test`: everything that needs no container engine and no whole installation, and each capability once on
 * its real engine. `all` is `npm run test:all`: with reduced counts, without the longest files. `long` is every
 * file with the full counts, `named` every file with reduced counts, to choose from by name.
 */
export type TestSize = 'quick' | 'all' | 'long' | 'named';

/** The files with a real engine that are part of `npm test`, one for each capability. */
export const capabilities: Readonly<Record<string, string>> = {
  deployment: 'e2e/published/our-daemon.test.ts',
  rollout: 'e2e/docker/redeployments.test.ts',
  action: 'e2e/docker/built-ins.test.ts',
  backup: 'packages/daemon/src/backup/backup.test.ts',
  restore: 'e2e/docker/rollback-with-data.test.ts',
  upgrade: 'e2e/docker/rehearsals.test.ts',
  migration: 'e2e/migration/moved-tenant.test.ts',
  console: 'e2e/console/journey.test.ts',
  garden: 'e2e/garden/applied-garden.test.ts',
  assistant: 'e2e/docker/assistant.test.ts',
  podman: 'e2e/docker/podman.test.ts',
  start: 'e2e/readme/readme.test.ts',
};

/**
 * Files that are left to long runs: each takes a minute or more and resembles one that stays. They return one by one, each
 * after it was seen to pass beside the others.
 */
export const onlyInLongRuns: readonly string[] = [
  ...['created', 'ghost'].map((name) => `e2e/catalog/${name}.test.ts`),
  ...['drift', 'many-instances', 'trials', 'verified-template'].map((name) => `e2e/docker/${name}.test.ts`),
  'e2e/failover/under-load.test.ts',
  'e2e/faults/network-cut.test.ts',
  'e2e/migration/bundle.test.ts',
  'e2e/swarm/node-loss.test.ts',
  ...['clean-root', 'compose', 'image-files', 'replicas'].map((name) => `e2e/packages/${name}.test.ts`),
];

/** What runs on a Docker Swarm of one node as well. */
const swarmCapability = 'e2e/docker/built-ins.test.ts';

/** Files that measure or change their process: memory, timers, listeners, environment. */
export const separateProcess: readonly string[] = [
  'packages/service/src/channel/pinger.test.ts',
  'packages/service/src/http/fuzz.test.ts',
  'packages/service/src/resources/logs/logs.test.ts',
  'packages/service/src/resources/metrics/live.test.ts',
  'packages/service/src/resources/sign-in/sign-in.test.ts',
  'packages/service/src/streams/stream-upgrades.test.ts',
  'packages/contract/src/records/new-id.test.ts',
];

/** A test that imports one of these drives a container engine, a cluster or a browser. */
const engines = ['chromium', 'docker', 'docker-request', 'patroni', 'podman', 'swarm'].map(
  (name) => `packages/testkit/src/${name}.ts`,
);

export interface TestSelection {
  /** Each file in a new process. */
  readonly own: readonly string[];
  /** One file after another in the same process: starting one and loading hundreds of modules takes a second each. */
  readonly shared: readonly string[];
  /** Files of the console: they share a process, its Chromium and its service. */
  readonly inBrowser: readonly string[];
  readonly onSwarm: readonly string[];
}

export function selectTests(root: string, size: TestSize): TestSelection {
  const graph = new ImportGraph(root);
  const files = allTestFiles(root);
  const needsEngine = (path: string) => {
    const reached = graph.reachableFrom(path);
    return path.startsWith('e2e/') || engines.some((engine) => reached.has(engine));
  };
  const withEngine = files.filter(needsEngine);
  const without = files.filter((path) => !withEngine.includes(path));
  const chosen = withEngine.filter(
    (path) =>
      (size !== 'quick' || Object.values(capabilities).includes(path)) &&
      (size !== 'all' || !onlyInLongRuns.includes(path)),
  );
  return {
    own: [...chosen.filter((path) => !isConsole(path)), ...without.filter((path) => separateProcess.includes(path))],
    shared: without.filter((path) => !separateProcess.includes(path)),
    inBrowser: chosen.filter(isConsole),
    onSwarm: size === 'long' ? swarmFiles(files) : [swarmCapability],
  };
}

const isConsole = (path: string) => path.startsWith('e2e/console/');

export const allTestFiles = (root: string): string[] =>
  globSync(['packages/*/src/**/*.test.{ts,tsx}', 'e2e/**/*.test.ts', 'scripts/**/*.test.ts'], { cwd: root }).sort();

const swarmFiles = (files: readonly string[]): string[] =>
  files.filter((path) => /^e2e\/docker\/[^/]+$/.test(path) && !(path.slice('e2e/docker/'.length) in filesNotOnSwarm));
