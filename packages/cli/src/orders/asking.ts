import { Failure } from '../failure.ts';
import { durationOf } from '../output/words.ts';
import type { World } from '../world/world.ts';

/** Asks a yes-or-no question; Enter means yes. Returns true without a terminal. */
export async function agree(world: World, question: string, yes: boolean): Promise<boolean> {
  if (yes || !world.terminal.interactive) return true;
  for (;;) {
    const said = (await world.terminal.ask(`${question} [Y/n] `)).trim().toLowerCase();
    if (said === '' || said === 'y' || said === 'yes') return true;
    if (said === 'n' || said === 'no') return false;
  }
}

/** Requires the name to be typed before something is destroyed; without a terminal, requires --yes. */
export async function confirmByName(world: World, what: string, name: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!world.terminal.interactive) {
    throw new Failure('usage', what, { hint: 'Add --yes to skip the confirmation.' });
  }
  world.terminal.note(`${what}\n`);
  const said = (await world.terminal.ask(`Type ${name} to continue: `)).trim();
  if (said !== name) throw new Failure('usage', 'The name does not match. Nothing was changed.');
}

export const waitOptions = {
  wait: { type: 'boolean', about: 'Wait until it has finished.' },
  timeout: { type: 'string', value: 'time', about: 'Maximum time to wait, such as 90s or 10m; implies --wait.' },
} as const;

/** Whether and how long to wait. */
export function waiting(options: { wait: boolean; timeout: string | undefined }): { wait: boolean; timeout?: number } {
  if (options.timeout === undefined) return { wait: options.wait };
  const timeout = durationOf(options.timeout);
  if (timeout === undefined) throw new Failure('usage', '--timeout is a time such as 90s, 10m or 1h30m.');
  return { wait: true, timeout };
}
