import type { GardenCommit, GardenCommitDetail } from '@hortus/contract/resources/garden-source-records';
import type { FollowedGarden, GardenFollow } from '@hortus/contract/resources/garden-sources';
import type { GitRepository } from '@hortus/testkit/git-server';
import { until } from '@hortus/testkit/until';
import { Gardener } from './gardener.ts';

/** Follows gardens in repositories, and reports the deployments of their runs as daemons would. */
export class Follower extends Gardener {
  async follow(repository: Pick<GitRepository, 'url'>, more: Partial<GardenFollow> = {}): Promise<FollowedGarden> {
    const body = { url: repository.url, mode: 'propose', name: 'home', ...more } as const;
    return (await this.caller.client.call('gardens.follow', { body })).data;
  }

  async sync(id: string, again = false): Promise<void> {
    await this.caller.client.call('gardens.sync', { params: { id }, body: { again } });
  }

  async garden(id: string) {
    return (await this.caller.client.call('gardens.read', { params: { id } })).data;
  }

  async commits(id: string): Promise<GardenCommit[]> {
    return (await this.caller.client.call('gardens.commits', { params: { id }, query: { per_page: 100 } })).data;
  }

  async commit({ garden_id: id, id: commit_id }: GardenCommit): Promise<GardenCommitDetail> {
    return (await this.caller.client.call('gardens.commit', { params: { id, commit_id } })).data;
  }

  /** Waits until the newest row of a commit is in a state. */
  async reaches(id: string, sha: string, status: GardenCommit['status']): Promise<GardenCommitDetail> {
    let seen: GardenCommit | undefined;
    const found = await until(
      async () => {
        seen = (await this.commits(id)).find((commit) => commit.sha === sha);
        return seen?.status === status ? seen : undefined;
      },
      { describe: () => `the commit to be ${status}; it is ${seen?.status}: ${seen?.error}` },
    );
    return await this.commit(found);
  }

  /** Lets the run of a commit succeed. */
  async carriedOut(id: string, sha: string): Promise<GardenCommitDetail> {
    const { run_id } = await until(
      async () => {
        const found = (await this.commits(id)).find((commit) => commit.sha === sha);
        return found?.run_id ? found : undefined;
      },
      { describe: 'a run of the commit' },
    );
    await this.succeeds(run_id ?? '');
    return await this.reaches(id, sha, 'applied');
  }

  async approve({ garden_id: id, id: commit_id, plan_hash }: GardenCommit): Promise<GardenCommit> {
    const body = { plan_hash: plan_hash ?? '' };
    return (await this.caller.client.call('gardens.approve', { params: { id, commit_id }, body })).data;
  }
}

/** Text of a garden of inkwells on the server `attic`. */
export const gardenOf = (uids: readonly string[], { name = 'home', inputs = '' } = {}): string =>
  [
    `name: ${name}`,
    'definitions:',
    ...uids.map(
      (uid) => `  ${uid}: {species: inkwell, server: attic, inputs: {WEB_HOSTNAME: ${uid}.example.org${inputs}}}`,
    ),
    '',
  ].join('\n');
