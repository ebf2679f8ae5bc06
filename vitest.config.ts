import { defineConfig } from 'vitest/config';
import { filesNotOnSwarm } from './e2e/docker/on-swarm.ts';
import { LongestFirst } from './scripts/longest-first.ts';

/**
 * Files that run one after another in the same process. Their modules keep no state except caches, and starting a process
 * and loading hundreds of modules takes more than a second of processor for each file.
 */
const sharing = ['packages/{client,contract,garden,service,template}/src/**/*.test.ts'];

/** Files that measure or change their process: memory, timers, listeners. */
const ownProcess = [
  'packages/service/src/channel/pinger.test.ts',
  'packages/service/src/http/fuzz.test.ts',
  'packages/service/src/resources/logs/logs.test.ts',
  'packages/service/src/resources/metrics/live.test.ts',
  'packages/service/src/resources/sign-in/sign-in.test.ts',
  'packages/service/src/streams/stream-door.test.ts',
  'packages/service/src/ids.test.ts',
];

/**
 * Files that take a minute or more and resemble one that stays: an ordinary run has to end while its author waits. Left
 * out instead of skipped, because a skipped test counts as failed.
 */
const onlyInLongRuns = [
  // The catalog: its databases, caches, backups and bindings stay.
  'e2e/catalog/{admin-pages,blogs,cluster-dumps,content,created,flows,issues,majors,monitoring}.test.ts',
  'e2e/catalog/{notebooks,queues,returns,webmail,wikis}.test.ts',
  // The console: one journey and the page of each resource stay.
  'e2e/console/{looking-after,running-pages}.test.ts',
  'e2e/console/account/{recipes,watching}.test.ts',
  // One Docker host: rollouts, upgrades, kills, actions and logs stay.
  'e2e/docker/{assistant,drift,many-instances,trials,verified-template}.test.ts',
  // Faults: two replicas, a killed service, engine or database stay.
  'e2e/failover/under-load.test.ts',
  'e2e/faults/network-cut.test.ts',
  'e2e/migration/bundle.test.ts',
  'e2e/swarm/node-loss.test.ts',
  // Packages: the npm package, the image and the install line stay.
  'e2e/packages/{clean-root,compose,image-files,replicas}.test.ts',
];

const isLong = Boolean(process.env.HORTUS_TEST_LONG);
/** A file that is asked for by its name runs, however long it takes. */
const isNamed = process.argv.some((word) => word.endsWith('.test.ts'));

/** Files that run on a Docker Swarm of one node too: all of them in long runs. */
const onSwarm =
  isLong || process.env.HORTUS_TEST_SWARM
    ? { include: ['e2e/docker/*.test.ts'], exclude: Object.keys(filesNotOnSwarm).map((file) => `e2e/docker/${file}`) }
    : { include: ['e2e/docker/built-ins.test.ts'] };

export default defineConfig({
  test: {
    // One more than CI has cores: about a third of the time a test waits, for a container or for an answer.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: [
      'packages/testkit/src/vitest-postgres.ts',
      'packages/testkit/src/vitest-docker.ts',
      'packages/service/src/testing/vitest-migrated.ts',
    ],
    // They end what hangs; what is only slow, on a machine that has much to do, has not failed.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'own process',
          include: [
            'packages/!(client|contract|garden|service|template)/src/**/*.test.ts',
            'e2e/**/*.test.ts',
            'scripts/**/*.test.ts',
            ...ownProcess,
          ],
          exclude: isLong || isNamed ? [] : onlyInLongRuns,
        },
      },
      {
        extends: true,
        test: { name: 'on a Swarm', ...onSwarm, env: { HORTUS_TEST_ON_SWARM: '1' } },
      },
      { extends: true, test: { name: 'shared process', include: sharing, exclude: ownProcess, isolate: false } },
    ],
  },
});
