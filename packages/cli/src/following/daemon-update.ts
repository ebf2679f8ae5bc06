import { Changes } from '@hortus/client/changes';
import type { Client } from '@hortus/client/client';
import type { DaemonUpdateDetail } from '@hortus/contract/resources/daemon-updates';
import { progress } from '../output/daemon-update.ts';
import { safeLine } from '../output/safe-text.ts';
import type { World } from '../world/world.ts';
import { poll, type WaitOptions } from './poll.ts';

/** Only the result of a server is an event; its steps are seen by polling. */
const EVERY_MS = 1_000;

/** A halted update waits for a person, so it is not waited for. */
const hasStopped = ({ status }: DaemonUpdateDetail): boolean => status !== 'running';

/** Waits until an update has ended or is halted, notes each step of each server, and returns it. */
export async function followDaemonUpdate(
  client: Client,
  begun: DaemonUpdateDetail,
  world: World,
  waitOptions: WaitOptions & { readonly quiet: boolean },
): Promise<DaemonUpdateDetail> {
  const ask = async () => (await client.call('daemon-updates.read', { params: { id: begun.id } })).data;
  const noted = new Map<string, string>();
  let stage = 0;
  let last = begun;
  using changes = new Changes(client, begun.id);
  for await (const seen of poll(world, waitOptions, ask, hasStopped, { changes, everyMs: EVERY_MS })) {
    last = seen;
    if (waitOptions.quiet) continue;
    if (seen.stage !== stage) world.terminal.note(`Stage ${seen.stage} of ${seen.stages.length}; ${progress(seen)}\n`);
    stage = seen.stage;
    for (const { id, server_name, status, error } of seen.targets) {
      if (status === (noted.get(id) ?? 'queued')) continue;
      noted.set(id, status);
      world.terminal.note(`  ${safeLine(server_name)} ${status}${error === null ? '' : `: ${safeLine(error)}`}\n`);
    }
  }
  return last;
}
