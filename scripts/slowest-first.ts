import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Orders test files, slowest first, because a slow file that starts last leaves the other workers idle. The numbers are
 * approximate seconds on two idle cores; only their order matters.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Unknown files are ordered by size, as by default.
    const bySize = await super.sort(files);
    const lengthOf = ({ moduleId, project }: TestSpecification) => secondsOf(relative(project.config.root, moduleId));
    // Files that share a process are last and in a row, because Vitest ends the process when another file is next.
    const shares = ({ project }: TestSpecification) => Number(!project.config.isolate);
    return bySize.toSorted(
      (specification, other) => lengthOf(other) - lengthOf(specification) || shares(specification) - shares(other),
    );
  }
}

export const knownSeconds: Readonly<Record<string, number>> = {
  'e2e/swarm/node-loss.test.ts': 240,
  'e2e/swarm/leaders.test.ts': 130,
  'e2e/catalog/applications.test.ts': 120,
  'e2e/catalog/stores.test.ts': 120,
  'e2e/catalog/services.test.ts': 110,
  'e2e/swarm/other-nodes.test.ts': 100,
  'e2e/published/published.test.ts': 90,
  'e2e/docker/killed-rollouts.test.ts': 75,
  'e2e/faults/network-cut.test.ts': 67,
  'e2e/faults/engine.test.ts': 65,
  'e2e/docker/kills.test.ts': 60,
  'e2e/failover/faults.test.ts': 60,
  'e2e/migration/killed-moves.test.ts': 55,
  'e2e/docker/redeployments.test.ts': 51,
  'e2e/docker/built-ins.test.ts': 50,
  'packages/daemon/src/rollout/rollout.test.ts': 49,
  'packages/daemon/src/backup/backup.test.ts': 47,
  'packages/daemon/src/rollout/beside.test.ts': 45,
  'packages/daemon/src/daemon.test.ts': 44,
  'packages/daemon/src/swarm/swarm-ingress.test.ts': 44,
  'packages/daemon/src/actions/actions.test.ts': 43,
  'e2e/docker/upgrades.test.ts': 42,
  'e2e/faults/two-replicas.test.ts': 37,
  'packages/service/src/http/fuzz.test.ts': 37,
  'packages/service/src/resources/upgrades/apply.test.ts': 36,
  'packages/service/src/http/contract.test.ts': 35,
  'packages/service/src/http/contract-bodies.test.ts': 22,
  'packages/service/src/resources/upgrades/upgrades.test.ts': 22,
};

/** Default for tests that start a whole system or a Docker engine. */
const secondsOf = (path: string): number =>
  knownSeconds[path] ?? (path.startsWith('e2e/') ? 20 : path.startsWith('packages/daemon/') ? 5 : 0);
