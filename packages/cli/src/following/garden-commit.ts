import { Changes } from '@hortus/client/changes';
import type { Client } from '@hortus/client/client';
import type { GardenCommit } from '@hortus/contract/resources/garden-source-records';
import type { World } from '../world/world.ts';
import { followGardenRun } from './garden-run.ts';
import { poll, type WaitOptions } from './poll.ts';

const EVERY_MS = 1_000;

/** Waits until a commit is decided, follows its run with live progress, and returns its final state. */
export async function followCommit(
  client: Client,
  begun: GardenCommit,
  world: World,
  waitOptions: WaitOptions & { readonly quiet: boolean },
): Promise<GardenCommit> {
  const params = { id: begun.garden_id, commit_id: begun.id };
  const ask = async () => (await client.call('gardens.commit', { params })).data;
  let last = begun;
  let followed = false;
  using changes = new Changes(client, begun.id);
  for await (const seen of poll(world, waitOptions, ask, hasEnded, { changes, everyMs: EVERY_MS })) {
    last = seen;
    if (followed || seen.run_id === null || seen.status !== 'applying') continue;
    followed = true;
    const run = (await client.call('gardens.run', { params: { id: seen.run_id } })).data;
    await followGardenRun(client, run, world, waitOptions);
  }
  return last;
}

const hasEnded = ({ finished_at, status }: GardenCommit): boolean => finished_at !== null || status === 'waiting';
