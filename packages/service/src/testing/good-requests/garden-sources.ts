import { type GitServer, startGitServer } from '@hortus/testkit/git-server';
import { until } from '@hortus/testkit/until';
import type { Caller } from '../running-service.ts';
import { fresh, type GoodRequests } from './good.ts';
import { aServer } from './servers.ts';

/** One for all requests of the process; it ends with it. */
let shared: Promise<GitServer> | undefined;

/** A garden in a repository, with one definition. */
async function aRepository(caller: Caller) {
  shared ??= startGitServer();
  const name = fresh('garden');
  const repository = await (await shared).repository(`${name}-${process.pid}-${Date.now()}`);
  const uid = fresh('blog');
  const server = await aServer(caller);
  const definition = `{species: inkwell, server: ${server}, inputs: {WEB_HOSTNAME: ${uid}.example.org}}`;
  await repository.commit({ 'garden.yaml': `name: ${name}\ndefinitions:\n  ${uid}: ${definition}\n` });
  return { url: repository.url, name, mode: 'propose' as const };
}

const aSource = async (caller: Caller) =>
  (await caller.client.call('gardens.follow', { body: await aRepository(caller) })).data;

const ofGarden = async (caller: Caller) => ({ params: { id: (await aSource(caller)).id } });

/** A commit that waits for an approval. */
async function aCommit(caller: Caller) {
  const params = { id: (await aSource(caller)).id };
  return await until(
    async () => {
      const { data } = await caller.client.call('gardens.commits', { params, query: { status: 'waiting' } });
      return data[0];
    },
    { describe: 'a waiting commit' },
  );
}

const ofCommit = async (caller: Caller) => {
  const { id: commit_id, garden_id: id } = await aCommit(caller);
  return { params: { id, commit_id } };
};

export const gardenSourceRequests = {
  'gardens.follow': async (caller) => ({ body: await aRepository(caller) }),
  'gardens.update': async (caller) => ({ ...(await ofGarden(caller)), body: { interval: 600, rotate_secret: true } }),
  'gardens.sync': async (caller) => ({ ...(await ofGarden(caller)), body: { again: true } }),
  'gardens.commits': async (caller) => ({ ...(await ofGarden(caller)), query: { status: 'found' } }),
  'gardens.commit': ofCommit,
  'gardens.approve': async (caller) => {
    const { id: commit_id, garden_id: id, plan_hash } = await aCommit(caller);
    return { params: { id, commit_id }, body: { plan_hash: plan_hash ?? '' } };
  },
  'gardens.reject': async (caller) => ({ ...(await ofCommit(caller)), body: { comment: 'Not today.' } }),
  'gardens.drift': ofGarden,
} satisfies Partial<GoodRequests>;
