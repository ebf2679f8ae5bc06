import { Changes } from '@hortus/client/changes';
import type { Client } from '@hortus/client/client';
import type { EvacuationDetail, EvacuationMove } from '@hortus/contract/resources/evacuations';
import { safeLine } from '../output/safe-text.ts';
import { lasting } from '../output/words.ts';
import type { World } from '../world/world.ts';
import { poll, type WaitOptions } from './poll.ts';

/** Only the end of an evacuation is an event; its moves are seen by polling. */
const PROGRESS_MS = 1_000;

/** Prints each move when it begins and ends, until the evacuation has ended. */
export async function followEvacuation(
  client: Client,
  id: string,
  world: World,
  waitOptions: WaitOptions,
  nameOf: (serverId: string) => string,
  show: boolean,
): Promise<EvacuationDetail> {
  const ask = async () => (await client.call('evacuations.read', { params: { id } })).data;
  const seen = new Map<number, EvacuationMove['status']>();
  let last: EvacuationDetail | undefined;
  using changes = new Changes(client, id);
  const hasEnded = ({ finished_at }: EvacuationDetail) => finished_at !== null;
  for await (const evacuation of poll(world, waitOptions, ask, hasEnded, { changes, everyMs: PROGRESS_MS })) {
    last = evacuation;
    for (const move of evacuation.moves) {
      if (seen.get(move.number) === move.status) continue;
      seen.set(move.number, move.status);
      const line = moveLine(move, nameOf);
      if (show && line !== undefined) world.terminal.out(`${line}\n`);
    }
  }
  if (last === undefined) throw new Error('The poll ended without an answer.');
  return last;
}

function moveLine(move: EvacuationMove, nameOf: (serverId: string) => string): string | undefined {
  const { name, status, to_server_id, downtime_ms, error } = move;
  const target = to_server_id === null ? '' : ` to ${nameOf(to_server_id)}`;
  switch (status) {
    case 'moving':
      return safeLine(`${name} moves${target} (${move.migration_id})`);
    case 'moved':
      return safeLine(`${name} moved${target}, ${downtime_ms ? `down for ${lasting(downtime_ms)}` : 'no downtime'}`);
    case 'stuck':
      return safeLine(`${name} stays: ${error ?? 'it could not be moved'}`);
    case 'cancelled':
      return safeLine(`${name} stays: cancelled`);
    case 'pending':
      return undefined;
  }
}

/** One sentence about the result. */
export const evacuationWords = ({ status, moved, stuck, total }: EvacuationDetail): string =>
  `The evacuation is ${status}: ${moved} of ${total} moved${stuck > 0 ? `, ${stuck} could not be moved` : ''}.`;
