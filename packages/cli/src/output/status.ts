import type { Terminal } from '../terminal.ts';
import { paint, type Tone } from './paint.ts';

/** Formats a status as shape, colour and word, with the shapes of the console; a pipe gets only the word. */
const looks = {
  good: { shape: '●', tone: 'good' },
  warn: { shape: '▲', tone: 'warn' },
  bad: { shape: '◆', tone: 'bad' },
  begun: { shape: '◐', tone: 'live' },
  still: { shape: '○', tone: 'dim' },
} as const satisfies Record<string, { shape: string; tone: Tone }>;
export type Look = keyof typeof looks;

const lookOf: Readonly<Record<string, Look>> = {
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

export function status(terminal: Terminal, word: string, look: Look = lookOf[word] ?? 'still'): string {
  if (!terminal.live) return word;
  const { shape, tone } = looks[look];
  return `${paint(terminal, tone, shape)} ${word}`;
}
