import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Orders test files, slowest first, because a slow file that starts last leaves the other workers idle. The numbers are
 * approximate seconds on two busy cores; only their order matters. Not for files of the console, which have to stay in a row.
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
  'e2e/catalog/applications.test.ts': 729,
  'e2e/catalog/stores.test.ts': 705,
  'e2e/catalog/services.test.ts': 312,
  'e2e/swarm/node-loss.test.ts': 240,
  'packages/daemon/src/swarm/swarm-daemon.test.ts': 202,
  'packages/daemon/src/swarm/swarm-ingress.test.ts': 191,
  'packages/daemon/src/swarm/swarm-rollout.test.ts': 180,
  'e2e/packages/install-line.test.ts': 169,
  'packages/daemon/src/backup/backup.test.ts': 152,
  'packages/service/src/http/contract.test.ts': 150,
  'packages/service/src/http/fuzz.test.ts': 149,
  'e2e/migration/killed-moves.test.ts': 146,
  'e2e/docker/upgrades.test.ts': 134,
  'e2e/docker/killed-rollouts.test.ts': 131,
  'packages/daemon/src/swarm/swarm-instances.test.ts': 130,
  'packages/service/src/http/contract-isolation.test.ts': 112,
  'e2e/migration/emptied-server.test.ts': 109,
  'e2e/docker/built-ins.test.ts': 97,
  'e2e/packages/image.test.ts': 96,
  'e2e/faults/two-replicas.test.ts': 94,
  'packages/service/src/http/contract-bodies.test.ts': 94,
  'packages/service/src/resources/gardens/following/following.test.ts': 94,
  'e2e/garden/applied-garden.test.ts': 91,
  'packages/daemon/src/tunnel/task-relays.test.ts': 90,
  'packages/daemon/src/backup/return-data.test.ts': 89,
  'e2e/readme/start.test.ts': 89,
  'e2e/swarm/leaders.test.ts': 85,
  'packages/daemon/src/actions/actions.test.ts': 81,
  'e2e/docker/redeployments.test.ts': 81,
  'e2e/migration/moved-tenant.test.ts': 79,
  'packages/daemon/src/rollout/rollout.test.ts': 76,
  'e2e/published/published.test.ts': 75,
  'packages/daemon/src/daemon.test.ts': 72,
  'e2e/docker/kills.test.ts': 71,
  'e2e/failover/faults.test.ts': 70,
  'e2e/faults/network-cut.test.ts': 67,
  'e2e/docker/rehearsals.test.ts': 65,
  'e2e/swarm/other-nodes.test.ts': 65,
  'e2e/docker/assistant.test.ts': 64,
  'e2e/updates/ordered-update.test.ts': 61,
  'packages/daemon/src/engine/docker/docker-engine.test.ts': 58,
  'e2e/docker/shell.test.ts': 58,
  'e2e/faults/engine.test.ts': 55,
  'e2e/garden/followed-garden.test.ts': 55,
  'packages/daemon/src/container-logs/collecting.test.ts': 52,
  'packages/daemon/src/rollout/beside.test.ts': 51,
  'packages/daemon/src/swarm/swarm-nodes.test.ts': 48,
  'packages/daemon/src/networks/links.test.ts': 48,
  'e2e/updates/daemon-binary.test.ts': 47,
  'packages/daemon/src/volumes/volumes.test.ts': 45,
  'packages/daemon/src/tunnel/node-tunnels.test.ts': 44,
  'packages/daemon/src/pull/registry.test.ts': 43,
};

/** Default for tests that start a whole system or a Docker engine. */
const secondsOf = (path: string): number =>
  knownSeconds[path] ?? (path.startsWith('e2e/') ? 20 : path.startsWith('packages/daemon/') ? 5 : 0);
