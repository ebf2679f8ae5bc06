import { Changes } from '@hortus/client/changes';
import type { Client } from '@hortus/client/client';
import type { Rehearsal } from '@hortus/contract/resources/rehearsals';
import type { World } from '../world/world.ts';
import { poll, type WaitOptions } from './poll.ts';

/** Only the end of a rehearsal is an event; its steps are seen by polling. */
const STEP_MS = 1_000;

/** What is done in each state, for people. */
const doing: Partial<Record<Rehearsal['status'], string>> = {
  preparing: 'Making a backup',
  restoring: 'Restoring the data into a copy',
  applying: 'Applying the change to the copy',
  testing: 'Testing the copy',
};

/** Waits until a rehearsal has passed or failed, notes each step, and returns it. */
export async function followRehearsal(
  client: Client,
  begun: Rehearsal,
  world: World,
  waitOptions: WaitOptions,
): Promise<Rehearsal> {
  const ask = async () => (await client.call('rehearsals.read', { params: { id: begun.id } })).data;
  const hasEnded = ({ finished_at }: Rehearsal) => finished_at !== null;
  let last = begun;
  let noted: Rehearsal['status'] | undefined;
  using changes = new Changes(client, begun.id);
  for await (const seen of poll(world, waitOptions, ask, hasEnded, { changes, everyMs: STEP_MS })) {
    last = seen;
    const words = doing[seen.status];
    if (seen.status !== noted && words) world.terminal.note(`${words}\n`);
    noted = seen.status;
  }
  return last;
}
