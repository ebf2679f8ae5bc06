import { Changes } from '@hortus/client/changes';
import type { Client } from '@hortus/client/client';
import type { GardenRunChange, GardenRunDetail } from '@hortus/contract/resources/garden-records';
import { headOf } from '../gardens/show-plan.ts';
import { LiveBlock } from '../output/live-block.ts';
import { paint } from '../output/paint.ts';
import { safeLine } from '../output/safe-text.ts';
import { cut } from '../output/table.ts';
import type { Terminal } from '../world/terminal.ts';
import type { World } from '../world/world.ts';
import { poll, type WaitOptions } from './poll.ts';

/** Interval of reading while events are announced: the changes of a run have no events of their own. */
const EVERY_MS = 1_000;

const hasEnded = ({ finished_at }: GardenRunDetail): boolean => finished_at !== null;

/** Waits until a run has ended, and shows its changes as they happen. */
export async function followGardenRun(
  client: Client,
  begun: GardenRunDetail,
  world: World,
  waitOptions: WaitOptions & { readonly quiet: boolean },
): Promise<GardenRunDetail> {
  const ask = async () => (await client.call('gardens.run', { params: { id: begun.id } })).data;
  const show = waitOptions.quiet ? () => {} : runView(world.terminal);
  let last = begun;
  using changes = new Changes(client, begun.id);
  for await (const seen of poll(world, waitOptions, ask, hasEnded, { changes, everyMs: EVERY_MS })) {
    show(seen);
    last = seen;
  }
  return last;
}

const styles = {
  waiting: ['○', 'dim'],
  running: ['◐', 'live'],
  done: ['●', 'good'],
  failed: ['◆', 'bad'],
  skipped: ['○', 'dim'],
} as const;

/** Redraws what runs on a terminal; prints each change of state to a pipe. */
function runView(terminal: Terminal): (run: GardenRunDetail) => void {
  if (terminal.live) {
    const block = new LiveBlock(terminal);
    return (run) => block.show([...run.changes.filter(isShown).map((change) => line(terminal, change)), total(run)]);
  }
  const states = new Map<string, string>();
  return ({ changes }) => {
    for (const change of changes) {
      const name = `${change.kind} ${change.key}`;
      if (change.state === (states.get(name) ?? 'waiting')) continue;
      states.set(name, change.state);
      terminal.note(`${line(terminal, change)}\n`);
    }
  };
}

const isShown = ({ state }: GardenRunChange): boolean => state === 'running' || state === 'failed';

function line(terminal: Terminal, change: GardenRunChange): string {
  const [shape, tone] = styles[change.state];
  const text = `${paint(terminal, tone, shape)} ${headOf(terminal, change)} ${change.state}`;
  if (change.error === null) return text;
  return `${text}: ${cut(safeLine(change.error), Math.max(20, terminal.width - 40))}`;
}

const total = ({ done, changes }: GardenRunDetail): string => `${done} of ${changes.length} done`;
