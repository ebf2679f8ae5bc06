import type { Execution, ListedAction } from '@hortus/contract/resources/actions';
import { command } from '../command-line/command.ts';
import { findInstance } from '../lookup/instances.ts';
import { printJson } from '../output/json.ts';
import { safeText } from '../output/safe-text.ts';
import { status } from '../output/status.ts';
import { facts, table } from '../output/table.ts';
import { ago, between } from '../output/words.ts';
import type { Terminal } from '../world/terminal.ts';

export const actionsList = command({
  name: 'actions list',
  summary: 'List the actions of an instance',
  args: ['instance'],
  examples: [['hortus actions list miniflux', 'By uid or id.']],
  calls: ['instances.list', 'instances.read', 'actions.list'],
  async run({ args, json, client, world: { terminal } }) {
    const service = await client();
    const { id, instance_uid } = await findInstance(service, args.instance);
    const { template_species, actions, backup } = await service.call('actions.list', { params: { id } });
    if (json) printJson(terminal, { template_species, actions, backup });
    else if (actions.length === 0) terminal.out(`${template_species} declares no actions.\n`);
    else {
      terminal.out(
        table<ListedAction>(
          terminal,
          [
            { title: 'Action', text: ({ slug }) => slug },
            { title: 'Limit', text: ({ timeout }) => timeout },
            { title: 'Params', text: ({ params }) => params.map(paramWord).join(', ') },
            {
              title: 'What it does',
              text: (action) => `${action.dangerous ? 'Dangerous. ' : ''}${action.description || action.name}`,
            },
          ],
          actions,
        ),
      );
      terminal.out(`Run one with hortus actions run ${instance_uid} <action>\n`);
    }
    return 'ok';
  },
});

const paramWord = ({ name, required }: ListedAction['params'][number]): string => (required ? name : `[${name}]`);

export const actionsShow = command({
  name: 'actions show',
  summary: 'Show an execution of an action',
  args: ['execution'],
  examples: [['hortus actions show exe_01j9zq3v5t8x2m4n6p7r9s0abc', 'Status, exit code and output.']],
  calls: ['actions.read'],
  async run({ args, json, client, world: { terminal, now } }) {
    const { execution } = await (await client()).call('actions.read', { params: { execution_id: args.execution } });
    if (json) {
      printJson(terminal, execution);
      return 'ok';
    }
    const { started_at, finished_at } = execution;
    terminal.out(
      facts(terminal, [
        ['Action', execution.name],
        ['Status', { painted: status(terminal, execution.status, styleNow(execution)) }],
        ['Ordered', ago(execution.created_at, now())],
        ['Took', started_at && finished_at && between(started_at, finished_at)],
        ['Exit code', execution.exit_code === null ? null : String(execution.exit_code)],
        ['Error', execution.error],
      ]),
    );
    if (execution.output) terminal.out('\n');
    printOutput(terminal, execution);
    return 'ok';
  },
});

/** Marks a running action as in progress; for an instance the same word means healthy. */
const styleNow = (execution: Execution) => (execution.status === 'running' ? 'begun' : undefined);

/** Prints the output of an action: unchanged to a pipe, without control sequences to a terminal. */
export function printOutput(terminal: Terminal, { output, output_truncated, output_dropped }: Execution): void {
  if (output !== null && output !== '') {
    const text = terminal.live ? safeText(output) : output;
    terminal.out(terminal.live && !text.endsWith('\n') ? `${text}\n` : text);
  }
  if (output_dropped) terminal.note('The output has been deleted.\n');
  if (output_truncated) terminal.note('The output exceeds the storage limit and is incomplete.\n');
}

export const actionsHistory = command({
  name: 'actions history',
  summary: 'List the latest action executions of an instance',
  args: ['instance'],
  examples: [['hortus actions history miniflux', 'The last twenty, newest first.']],
  calls: ['instances.list', 'instances.read', 'actions.history'],
  async run({ args, json, client, world: { terminal, now } }) {
    const service = await client();
    const { id, instance_uid } = await findInstance(service, args.instance);
    const { data } = await service.call('actions.history', { params: { id } });
    if (json) printJson(terminal, data);
    else if (data.length === 0) terminal.out(`No action has run on ${instance_uid} yet.\n`);
    else {
      terminal.out(
        table<Execution>(
          terminal,
          [
            { title: 'Execution', text: (action) => action.id },
            { title: 'Action', text: ({ slug }) => slug },
            { title: 'Status', painted: (action) => status(terminal, action.status, styleNow(action)) },
            { title: 'Ordered', text: ({ created_at }) => ago(created_at, now()) },
            { title: 'Error', text: ({ error }) => error ?? '' },
          ],
          data,
        ),
      );
    }
    return 'ok';
  },
});
