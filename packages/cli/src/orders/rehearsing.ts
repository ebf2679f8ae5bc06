import type { Client } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import type { Rehearsal } from '@hortus/contract/resources/rehearsals';
import type { Exit } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { followRehearsal } from '../following/rehearsal.ts';
import { printJson } from '../output/json.ts';
import { report, verdict } from '../output/rehearsal.ts';
import type { World } from '../world/world.ts';
import { waiting } from './asking.ts';

/** Options of commands that make a copy. They wait unless asked not to, because their report is the point. */
export const rehearsalOptions = {
  fresh: {
    type: 'boolean',
    about: 'Make a new backup first. The application is stopped while its volumes are copied.',
  },
  detach: { type: 'boolean', about: 'Do not wait for the result.' },
  timeout: { type: 'string', value: 'time', about: 'Maximum time to wait, such as 90s or 10m.' },
} as const;

/** Orders something that needs a backup; if there is none, says how to get one with this program. */
export async function withBackupHint<Result>(
  order: () => Promise<Result>,
  hint = 'Make one with hortus backups create, or add --fresh.',
): Promise<Result> {
  try {
    return await order();
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.details?.reason !== 'no_backup') throw error;
    const message = 'There is no restorable backup of the running revision.';
    throw new Failure('refused', message, { hint, problem: error });
  }
}

interface Wishes {
  readonly world: World;
  readonly json: boolean;
  readonly options: { readonly detach: boolean; readonly timeout: string | undefined };
}

/** Waits for the end of a rehearsal, unless --detach is given, and prints its report. */
export async function settleRehearsal(call: Wishes, client: Client, begun: Rehearsal): Promise<Exit> {
  const { world, json, options } = call;
  const { timeout } = waiting({ wait: true, timeout: options.timeout });
  const unfinished = `${begun.id} is still running; hortus rehearsals show ${begun.id} shows its state.`;
  const end = options.detach ? begun : await followRehearsal(client, begun, world, { timeout, unfinished });
  if (json) printJson(world.terminal, end);
  else world.terminal.out(`${verdict(end)}\n${report(world.terminal, end)}`);
  return end.status === 'failed' ? 'failed' : 'ok';
}
