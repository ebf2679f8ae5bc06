import { startGitServer } from '@hortus/testkit/git-server';
import { until } from '@hortus/testkit/until';
import { afterAll } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';

/** Follows a repository whose newest commit waits for an approval. Returns the ids of the garden and of the commit. */
export async function fillGarden(
  { client }: ServiceProcess,
  serverId: string,
): Promise<{ garden: string; commit: string }> {
  const git = await startGitServer();
  afterAll(() => git.stop());
  const repository = await git.repository('home');
  await repository.commit({ 'garden.yaml': 'name: home\n' }, 'Begin the garden');
  const body = { url: repository.url, mode: 'propose', interval: 86_400, provider: 'forgejo' } as const;
  const { id } = (await client.call('gardens.follow', { body })).data;
  const params = { id };
  const newest = (status: 'applied' | 'waiting') =>
    until(async () => (await client.call('gardens.commits', { params, query: { status } })).data[0], {
      describe: `a commit that is ${status}`,
    });
  await newest('applied');
  const definition = (uid: string) => ({
    species: 'static-site',
    server: serverId,
    inputs: { WEB_HOSTNAME: `${uid}.example.org`, PAGE_TITLE: 'A garden in a file' },
  });
  const garden = { name: 'home', definitions: { landing: definition('landing'), shop: definition('shop') } };
  await repository.commit({ 'garden.yaml': JSON.stringify(garden) }, 'Open the shop');
  await client.call('gardens.sync', { params, body: {} });
  return { garden: id, commit: (await newest('waiting')).id };
}
