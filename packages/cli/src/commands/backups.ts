import type { Client } from '@hortus/client/client';
import type { Execution } from '@hortus/contract/resources/actions';
import type { Backup } from '@hortus/contract/resources/backups';
import { type Call, command } from '../command-line/command.ts';
import type { Exit } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { followExecution } from '../following/execution.ts';
import { findInstance } from '../lookup/instances.ts';
import { confirmByName, waiting, waitOptions } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import { status } from '../output/status.ts';
import { table } from '../output/table.ts';
import { ago, disk } from '../output/words.ts';

export const backupsList = command({
  name: 'backups list',
  summary: 'List backups, newest first',
  args: ['instance?'],
  examples: [
    ['hortus backups list', 'Backups of all instances.'],
    ['hortus backups list miniflux', 'Backups of one instance.'],
  ],
  calls: ['backups.list', 'instances.list'],
  async run({ args, json, client, world: { terminal, now } }) {
    const service = await client();
    const instance = args.instance === undefined ? undefined : await findInstance(service, args.instance);
    // Queries by definition, because backups outlive a released instance.
    const query = instance ? { definition_id: instance.definition_id } : {};
    const backups = await Array.fromAsync(service.pages('backups.list', { query }));
    if (json) printJson(terminal, backups);
    else if (backups.length === 0) terminal.out('No backups yet. Create one with hortus backups create <instance>\n');
    else {
      const columns = [
        { title: 'Instance', text: ({ instance_uid }: Backup) => instance_uid },
        { title: 'Made', text: ({ created_at }: Backup) => ago(created_at, now()) },
        { title: 'Kind', text: ({ kind }: Backup) => kind },
        { title: 'Status', text: (backup: Backup) => status(terminal, backup.status) },
        { title: 'Size', text: ({ stored_bytes }: Backup) => disk(stored_bytes) },
        { title: 'Verified', text: (backup: Backup) => verified(backup, now()) },
        { title: 'Id', text: ({ id }: Backup) => id },
      ];
      terminal.out(table<Backup>(terminal, columns, backups));
    }
    return 'ok';
  },
});

const verified = ({ last_verified, verify_error }: Backup, now: number): string =>
  verify_error === null ? ago(last_verified, now) : `failed: ${safeLine(verify_error)}`;

export const backupsCreate = command({
  name: 'backups create',
  summary: 'Back up an instance',
  about:
    'The template decides how: a dump while the instance runs, or copies of its volumes while it is briefly stopped.',
  args: ['instance'],
  options: waitOptions,
  examples: [['hortus backups create miniflux --wait', 'Returns when the backup is complete.']],
  calls: ['instances.list', 'backups.create', 'backups.read', 'actions.read'],
  async run(call) {
    waiting(call.options);
    const service = await call.client();
    const instance = await findInstance(service, call.args.instance);
    const ordered = await service.call('backups.create', { params: { id: instance.id }, body: {} });
    return settle(call, service, ordered, {
      ordered: `${instance.instance_uid} is being backed up as ${ordered.backup.id}.`,
      done: ({ id, stored_bytes }) => `${instance.instance_uid} is backed up as ${id}, ${disk(stored_bytes)}.`,
    });
  },
});

export const backupsVerify = command({
  name: 'backups verify',
  summary: 'Verify a backup by restoring it into a temporary instance',
  args: ['backup'],
  options: waitOptions,
  examples: [['hortus backups verify bkp_… --wait', 'Prints the problem if the backup is not usable.']],
  calls: ['backups.verify', 'backups.read', 'actions.read'],
  async run(call) {
    waiting(call.options);
    const service = await call.client();
    const ordered = await service.call('backups.verify', { params: { id: call.args.backup } });
    return settle(call, service, ordered, {
      ordered: `${ordered.backup.id} is being verified.`,
      done: ({ id, proof }) =>
        proof === 'read'
          ? `${id} is complete and readable.`
          : `${id} is good: a temporary instance became healthy with its data.`,
    });
  },
});

export const backupsRestore = command({
  name: 'backups restore',
  summary: 'Restore an instance from a backup',
  about:
    'The current data is backed up before it is replaced. A dump is read into an emptied database before the application starts, unless its template says otherwise.',
  args: ['backup'],
  options: {
    ...waitOptions,
    into: {
      type: 'string',
      value: 'empty|running',
      about:
        'Where a dump is read: in an emptied database, or as the application runs; by default as the template says.',
    },
    yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' },
  },
  examples: [
    ['hortus backups restore bkp_… --wait', 'Asks for confirmation and returns when the instance is healthy.'],
  ],
  calls: ['backups.read', 'backups.planRestore', 'backups.restore', 'actions.read'],
  async run(call) {
    waiting(call.options);
    const into = restoreInto(call.options.into);
    const service = await call.client();
    const params = { id: call.args.backup };
    const { instance_uid: uid, created_at } = (await service.call('backups.read', { params })).data;
    const { summary, warnings } = (await service.call('backups.planRestore', { params, query: into })).data;
    const what = `The data of ${uid} is replaced by the backup of ${created_at}; the current data is backed up first.`;
    await confirmByName(call.world, [what, summary, ...warnings].join('\n'), uid, call.options.yes);
    const ordered = await service.call('backups.restore', { params, body: { confirm: uid, ...into } });
    return settle(call, service, ordered, {
      ordered: `${uid} is being restored.`,
      done: () => `${uid} was restored to the backup of ${created_at}.`,
    });
  },
});

function restoreInto(into: string | undefined): { into?: 'empty' | 'running' } {
  if (into === undefined) return {};
  if (into !== 'empty' && into !== 'running') throw new Failure('usage', '--into is empty or running.');
  return { into };
}

export const backupsDelete = command({
  name: 'backups delete',
  summary: 'Delete a backup',
  args: ['backup'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [['hortus backups delete bkp_…', 'Asks for confirmation.']],
  calls: ['backups.read', 'backups.delete'],
  async run({ args, options, json, client, world }) {
    const service = await client();
    const params = { id: args.backup };
    const { instance_uid: uid, created_at } = (await service.call('backups.read', { params })).data;
    await confirmByName(world, `The backup of ${uid} from ${created_at} is deleted permanently.`, uid, options.yes);
    const { data } = await service.call('backups.delete', { params });
    if (json) printJson(world.terminal, data);
    else world.terminal.out(`${data.id} is ${data.status === 'deleted' ? 'deleted' : 'being deleted'}.\n`);
    return 'ok';
  },
});

type Waiting = Pick<Call<{ wait: boolean; timeout: string | undefined }>, 'json' | 'world' | 'options'>;

/** Reports that the action was requested, or waits for it and reports its result. */
async function settle(
  { json, world, options }: Waiting,
  service: Client,
  { execution, backup }: { execution: Execution; backup: Backup },
  words: { ordered: string; done: (backup: Backup) => string },
): Promise<Exit> {
  const { terminal } = world;
  const { wait, timeout } = waiting(options);
  const hint = `hortus actions show ${execution.id}`;
  if (!wait) {
    if (json) printJson(terminal, { execution, backup });
    else terminal.out(`${words.ordered} ${hint} shows its progress.\n`);
    return 'ok';
  }
  world.leaving(`The action continues. ${hint} shows its progress.`);
  const unfinished = `${execution.name} has not finished yet. ${hint} shows its progress.`;
  const ended = await followExecution(service, execution, world, { timeout, unfinished });
  const after = (await service.call('backups.read', { params: { id: backup.id } })).data;
  if (json) printJson(terminal, { execution: ended, backup: after });
  else if (ended.status === 'completed') terminal.out(`${words.done(after)}\n`);
  else terminal.note(`${safeLine(ended.error ?? `It ended with status ${ended.status}.`)}\n`);
  return ended.status === 'completed' ? 'ok' : 'failed';
}
