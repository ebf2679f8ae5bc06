import { valueOptions } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { printDone } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { findInstance } from '../lookup/instances.ts';
import { rehearsalOptions, settleRehearsal, withBackupHint } from '../orders/rehearsing.ts';
import { durationOf } from '../output/words.ts';

const MINUTE_MS = 60_000;

export const clone = command({
  name: 'clone',
  summary: 'Make an isolated copy of an instance with its data, for an hour',
  about:
    'Restores the newest backup into a copy on the same server, and applies the given changes there. Look at it with hortus logs, shell and actions, by the id that is shown.\nThe copy has no routes, no schedules and no network connection to the outside.',
  args: ['instance'],
  options: {
    set: { type: 'string', value: 'name=value', multiple: true, about: 'Changed input.' },
    'set-file': { type: 'string', value: 'name=path', multiple: true, about: 'Changed input, read from a file.' },
    unset: { type: 'string', value: 'name', multiple: true, about: 'Input to remove.' },
    profile: { type: 'string', value: 'profile', about: 'Another profile.' },
    variant: { type: 'string', value: 'variant', about: 'Another variant.' },
    for: { type: 'string', value: 'time', about: 'How long it is kept, such as 30m or 4h; an hour by default.' },
    rm: { type: 'boolean', about: 'Remove the copy of this instance now.' },
    ...rehearsalOptions,
  },
  examples: [
    ['hortus clone miniflux', 'A copy to look at, with the newest backup.'],
    ['hortus clone miniflux --set WORKERS=8', 'Tries a change of the definition.'],
    ['hortus clone miniflux --rm', 'Removes the copy before its hour is over.'],
  ],
  calls: ['instances.list', 'rehearsals.list', 'rehearsals.clone', 'rehearsals.read', 'rehearsals.remove'],
  async run(call) {
    const { args, options, world } = call;
    const minutes = minutesOf(options.for);
    const client = await call.client();
    const { id, instance_uid } = await findInstance(client, args.instance);
    if (options.rm) {
      const { data } = await client.call('rehearsals.list', { query: { instance_id: id, kind: 'clone' } });
      const copy = data.find(({ removed }) => !removed);
      if (copy === undefined) return printDone(call, null, `There is no copy of ${instance_uid}.`);
      const gone = (await client.call('rehearsals.remove', { params: { id: copy.id } })).data;
      return printDone(call, gone, `The copy of ${instance_uid} is being removed.`);
    }
    const input = await valueOptions(world, { set: 'set', setFile: 'set-file' }, options.set, options['set-file']);
    const inputs = { ...input, ...Object.fromEntries(options.unset.map((name) => [name, null])) };
    const body = {
      ...(Object.keys(inputs).length > 0 && { inputs }),
      ...(options.profile !== undefined && { profile: options.profile }),
      ...(options.variant !== undefined && { variant: options.variant }),
      ...(minutes !== undefined && { minutes }),
      ...(options.fresh && { fresh_backup: true }),
    };
    const { data } = await withBackupHint(() => client.call('rehearsals.clone', { params: { id }, body }));
    return settleRehearsal(call, client, data);
  },
});

function minutesOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = durationOf(text);
  if (ms === undefined) throw new Failure('usage', '--for is a time such as 30m or 4h.');
  return Math.max(1, Math.round(ms / MINUTE_MS));
}
