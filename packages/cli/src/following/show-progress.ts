import type { LogLine } from '@hortus/contract/resources/deployment-records';
import { LiveBlock } from '../output/live-block.ts';
import { paint } from '../output/paint.ts';
import { safeLine } from '../output/safe-text.ts';
import { cut } from '../output/table.ts';
import { lasting } from '../output/words.ts';
import type { Terminal } from '../world/terminal.ts';
import type { World } from '../world/world.ts';
import type { Progress } from './deployment.ts';
import { type Step, stepsOf } from './steps.ts';

/** Redraws the list of steps on a terminal; prints log lines to a pipe. */
export function progressView(world: World, waitingFor: string): (progress: Progress) => void {
  const { terminal } = world;
  if (!terminal.live) return ({ fresh }) => terminal.out(fresh.map((line) => `${logLine(terminal, line)}\n`).join(''));
  const block = new LiveBlock(terminal);
  return ({ deployment, logs }) => {
    const steps = stepsOf(deployment, logs, world.now());
    if (steps.length > 0) block.show(stepLines(terminal, steps));
    else if (deployment.status === 'pending')
      block.show([paint(terminal, 'dim', `○ ${before(deployment) ?? waitingFor}`)]);
  };
}

const preparing = {
  backup: 'making the backup that comes first',
  restore: 'bringing back the data of before',
  release: 'removing the containers that have its address',
} as const;

/** Describes what the deployment waits for before it starts. */
const before = ({ preparation }: Progress['deployment']): string | undefined =>
  preparation && !preparation.done ? preparing[preparation.kind] : undefined;

const marks = {
  done: { shape: '●', tone: 'good' },
  running: { shape: '◐', tone: 'live' },
  failed: { shape: '◆', tone: 'bad' },
} as const;

export function stepLines(terminal: Terminal, steps: readonly Step[]): string[] {
  const names = Math.max(...steps.map(({ name }) => safeLine(name).length));
  const times = Math.max(...steps.map(({ ms }) => lasting(ms).length));
  return steps.map(({ name, state, said, ms }) => {
    const { shape, tone } = marks[state];
    const start = `${safeLine(name).padEnd(names)}  ${lasting(ms).padStart(times)}  `;
    return `${paint(terminal, tone, shape)} ${start}${cut(safeLine(said), terminal.width - start.length - 3)}`.trimEnd();
  });
}

/** Width of the longest step name, wait_healthy, so that streamed messages align. */
const longestStep = 12;

const tones = { info: undefined, warn: 'warn', error: 'bad' } as const;

/** Formats a log line: time, step, message. */
export function logLine(terminal: Terminal, { at, step, level, message }: LogLine): string {
  const time = paint(terminal, 'dim', new Date(at).toTimeString().slice(0, 8));
  return `${time}  ${(step ?? '').padEnd(longestStep)}  ${paint(terminal, tones[level], safeLine(message))}`;
}
