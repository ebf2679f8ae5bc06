import type { Client } from '@hortus/client/client';
import type { Execution } from '@hortus/contract/resources/actions';
import type { Instance } from '@hortus/contract/resources/instance-records';
import { type Call, type Command, command } from '../command-line/command.ts';
import type { Exit } from '../exit-codes.ts';
import { followExecution } from '../following/execution.ts';
import { findInstance } from '../lookup/instances.ts';
import { waiting, waitOptions } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';

export interface Ordered {
  readonly execution: Execution;
  readonly instance: Instance;
}

/** Reports that the action was requested, or waits for it and reports its result. */
export async function settle(
  { json, world, options }: Pick<Call<{ wait: boolean; timeout: string | undefined }>, 'json' | 'world' | 'options'>,
  service: Client,
  { execution, instance }: Ordered,
  words: { ordered: string; done: string },
): Promise<Exit> {
  const { terminal } = world;
  const { wait, timeout } = waiting(options);
  const hint = `hortus actions show ${execution.id}`;
  if (!wait) {
    if (json) printJson(terminal, { execution, instance });
    else terminal.out(`${words.ordered} ${hint} shows its progress.\n`);
    return 'ok';
  }
  world.leaving(`The action continues. ${hint} shows its progress.`);
  const unfinished = `${execution.name} on ${instance.instance_uid} has not finished yet. ${hint} shows its progress.`;
  const ended = await followExecution(service, execution, world, { timeout, unfinished });
  const after = (await service.call('instances.read', { params: { id: instance.id } })).data;
  if (json) printJson(terminal, { execution: ended, instance: after });
  else if (ended.status === 'completed') terminal.out(`${words.done}\n`);
  else
    terminal.note(
      `${safeLine(ended.error ?? `It ended with status ${ended.status}.`)} ${instance.instance_uid} is ${after.status}.\n`,
    );
  return ended.status === 'completed' ? 'ok' : 'failed';
}

type Order = 'start' | 'stop' | 'restart' | 'smoke';

const words: Record<Order, { summary: string; doing: string; done: string }> = {
  start: { summary: 'Start a stopped instance', doing: 'starting', done: 'is running' },
  stop: { summary: 'Stop an instance; its volumes stay', doing: 'stopping', done: 'is stopped' },
  restart: { summary: 'Restart an instance', doing: 'restarting', done: 'was restarted' },
  smoke: { summary: 'Run the smoke test of an instance', doing: 'being tested', done: 'passed its smoke test' },
};

const order = (name: Order): Command =>
  command({
    name: `instances ${name}`,
    summary: words[name].summary,
    args: ['instance'],
    options: waitOptions,
    examples: [
      [`hortus instances ${name} miniflux`, 'Returns at once.'],
      [`hortus instances ${name} miniflux --wait`, 'Returns when it is done.'],
    ],
    calls: ['instances.list', `instances.${name}`, 'actions.read'],
    async run(call) {
      waiting(call.options);
      const service = await call.client();
      const instance = await findInstance(service, call.args.instance);
      const ordered = await service.call(`instances.${name}`, { params: { id: instance.id } });
      const uid = instance.instance_uid;
      return settle(call, service, ordered, {
        ordered: `${uid} is ${words[name].doing}.`,
        done: `${uid} ${words[name].done}.`,
      });
    },
  });

export const instancesStart = order('start');
export const instancesStop = order('stop');
export const instancesRestart = order('restart');
export const instancesSmoke = order('smoke');
