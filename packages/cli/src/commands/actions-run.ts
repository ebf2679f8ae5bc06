import type { ListedAction } from '@hortus/contract/resources/actions';
import { valueOptions } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import type { Exit } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { followExecution } from '../following/execution.ts';
import { findInstance } from '../lookup/instances.ts';
import { confirmByName, waiting, waitOptions } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import type { World } from '../world/world.ts';
import { printOutput } from './actions.ts';

export const actionsRun = command({
  name: 'actions run',
  summary: 'Run an action on an instance',
  about: 'A dangerous action asks you to type the name of the instance; scripts pass --yes.',
  args: ['instance', 'action'],
  options: {
    param: { type: 'string', value: 'name=value', multiple: true, about: 'Value of an action parameter.' },
    'param-file': {
      type: 'string',
      value: 'name=path',
      multiple: true,
      about: 'Value of an action parameter, read from a file; - reads standard input.',
    },
    yes: { type: 'boolean', about: 'Skip the confirmation of a dangerous action.' },
    ...waitOptions,
  },
  examples: [
    [
      'hortus actions run miniflux db-dump --wait > miniflux.sql',
      'Waits and writes the output of the action to a file.',
    ],
    ['hortus actions run cache flush --param database=0 --yes --wait', 'Runs a dangerous action in a script.'],
  ],
  calls: ['instances.list', 'instances.read', 'actions.list', 'actions.execute', 'actions.read'],
  async run({ args, options, json, client, world }): Promise<Exit> {
    const { terminal } = world;
    const { wait, timeout } = waiting(options);
    const service = await client();
    const { id, instance_uid } = await findInstance(service, args.instance);
    const { actions } = await service.call('actions.list', { params: { id } });
    const action = actions.find(({ slug }) => slug === args.action);
    if (action === undefined) {
      const known = actions.map(({ slug }) => slug).join(', ');
      throw new Failure('missing', `${instance_uid} has no action ${args.action}.`, {
        hint: known ? `Available: ${known}.` : undefined,
      });
    }
    const input = await valueOptions(
      world,
      { set: 'param', setFile: 'param-file' },
      options.param,
      options['param-file'],
    );
    const params = await completed(world, action, input);
    if (action.dangerous) {
      const about = action.description ? ` ${action.description}` : '';
      await confirmByName(world, `${action.name} on ${instance_uid} is dangerous.${about}`, instance_uid, options.yes);
    }
    const slug = action.slug;
    const { execution } = await service.call('actions.execute', { params: { id, slug }, body: { params } });
    const hint = `hortus actions show ${execution.id}`;
    if (!wait) {
      if (json) printJson(terminal, execution);
      else terminal.out(`${action.name} was requested on ${instance_uid}. ${hint} shows its progress.\n`);
      return 'ok';
    }
    world.leaving(`The action continues. ${hint} shows its result.`);
    const unfinished = `${action.name} on ${instance_uid} has not finished yet. ${hint} shows its progress.`;
    const ended = await followExecution(service, execution, world, { timeout, unfinished });
    if (json) printJson(terminal, ended);
    else printOutput(terminal, ended);
    if (ended.status === 'completed') {
      if (!json && terminal.live) terminal.note(`${action.name} completed.\n`);
      return 'ok';
    }
    const code = ended.exit_code === null ? '' : ` (exit code ${ended.exit_code})`;
    const why = ended.error === null ? '' : ` ${safeLine(ended.error)}`;
    const ends = { timeout: 'timed out', cancelled: 'was cancelled' } as const;
    const how = ends[ended.status as keyof typeof ends] ?? 'failed';
    if (!json) terminal.note(`${action.name} on ${instance_uid} ${how}${code}.${why}\n`);
    return 'failed';
  },
});

/** Asks for missing required parameters. */
async function completed(
  { terminal }: World,
  action: ListedAction,
  input: Record<string, string>,
): Promise<Record<string, string>> {
  const unknown = Object.keys(input).find((name) => !action.params.some((param) => param.name === name));
  if (unknown !== undefined) {
    const known = action.params.map(({ name }) => name).join(', ');
    throw new Failure('usage', `${action.slug} has no parameter ${unknown}.`, {
      hint: known ? `Available: ${known}.` : 'It takes no parameters.',
    });
  }
  const params = { ...input };
  for (const { name, type, required, default: standard } of action.params) {
    if (!required || (standard ?? null) !== null || Object.hasOwn(params, name)) continue;
    if (!terminal.interactive) throw new Failure('usage', `${action.slug} needs --param ${name}=…`);
    params[name] = await terminal.ask(`${name} (${type}): `, { hidden: type === 'password' });
  }
  return params;
}
