import type { Terminal } from '../world/terminal.ts';
import { paint, type Tone } from './paint.ts';

/** Formats a status as shape, colour and word, with the shapes of the console; a pipe gets only the word. */
const styles = {
  good: { shape: '●', tone: 'good' },
  warn: { shape: '▲', tone: 'warn' },
  bad: { shape: '◆', tone: 'bad' },
  begun: { shape: '◐', tone: 'live' },
  still: { shape: '○', tone: 'dim' },
} as const satisfies Record<string, { shape: string; tone: Tone }>;
export type Style = keyof typeof styles;

const styleOf: Readonly<Record<string, Style>> = {
  running: 'good',
  healthy: 'good',
  online: 'good',
  success: 'good',
  completed: 'good',
  published: 'good',
  active: 'good',
  ok: 'good',
  draining: 'warn',
  offline: 'warn',
  lost: 'warn',
  note: 'warn',
  unhealthy: 'bad',
  failed: 'bad',
  timeout: 'bad',
  problem: 'bad',
  starting: 'begun',
  restarting: 'begun',
  sent: 'begun',
};

export function status(terminal: Terminal, word: string, style: Style = styleOf[word] ?? 'still'): string {
  if (!terminal.live) return word;
  const { shape, tone } = styles[style];
  return `${paint(terminal, tone, shape)} ${word}`;
}
