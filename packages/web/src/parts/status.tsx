import type { deploymentMachine } from '@hortus/contract/machines/deployment';
import type { executionMachine } from '@hortus/contract/machines/execution';
import type { instanceHealthMachine, instanceMachine } from '@hortus/contract/machines/instance';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { serverMachine } from '@hortus/contract/machines/server';
import type { ReactNode } from 'react';

/** Shape and colour of a state: ● ok, ▲ warn, ◆ bad, ◐ wait, pulsing ● now, ○ idle. */
export type Tone = 'ok' | 'warn' | 'bad' | 'wait' | 'now' | 'idle';

type State =
  | StateOf<typeof instanceMachine>
  | StateOf<typeof instanceHealthMachine>
  | StateOf<typeof deploymentMachine>
  | StateOf<typeof executionMachine>
  | StateOf<typeof serverMachine>;

/** Tones of the words of the state tables; a word without a row is idle. `running` is `now` only for work that ends. */
const TONES: Partial<Record<State, Tone>> = {
  healthy: 'ok',
  unhealthy: 'bad',
  pending: 'wait',
  starting: 'wait',
  restarting: 'wait',
  running: 'ok',
  failed: 'bad',
  lost: 'bad',
  online: 'ok',
  offline: 'bad',
  draining: 'warn',
  success: 'ok',
  completed: 'ok',
  timeout: 'bad',
  sent: 'wait',
};

export const toneOf = (state: string): Tone => TONES[state as State] ?? 'idle';

/** Status of an instance in one word: what is wrong with it, else its health, else its status. */
export function wordOf({ status, health }: { status: string; health: string }): string {
  return status === 'running' && health !== 'unknown' ? health : status;
}

/** A state as shape, colour and word. */
export function Status({ state, tone, children }: { state: string; tone?: Tone; children?: ReactNode }) {
  return <span className={`st ${tone ?? toneOf(state)}`}>{children ?? sentenceCase(state)}</span>;
}

/** Only the shape, where the word is given nearby; the word is still there for screen readers. */
export function StatusDot({ state, tone }: { state: string; tone?: Tone }) {
  return (
    <span className={`st ${tone ?? toneOf(state)} gap-0`}>
      <span className="sr-only">{sentenceCase(state)}</span>
    </span>
  );
}

export const sentenceCase = (word: string): string =>
  `${word.charAt(0).toUpperCase()}${word.slice(1).replaceAll('_', ' ')}`;

export function Tag({ tone, mono, children }: { tone?: 'leaf' | 'warn' | 'bad'; mono?: boolean; children: ReactNode }) {
  return <span className={['tag', tone, mono && 'mono'].filter(Boolean).join(' ')}>{children}</span>;
}
