import { command } from '../command-line/command.ts';
import { printDone } from '../command-line/printing.ts';
import { commitTitle } from '../gardens/commit-words.ts';
import { gardenPlanText } from '../gardens/show-plan.ts';
import { findFollowed } from '../lookup/gardens.ts';
import { printJson } from '../output/json.ts';

export const gardensSync = command({
  name: 'gardens sync',
  summary: 'Read the repository of a garden now',
  args: ['garden'],
  options: {
    again: { type: 'boolean', about: 'Plan the newest commit again, also if it was applied, failed or was rejected.' },
  },
  examples: [
    ['hortus gardens sync home', 'Instead of waiting for the interval.'],
    ['hortus gardens sync home --again', 'After the cause of a failure is gone.'],
  ],
  calls: ['gardens.list', 'gardens.sync'],
  async run(call) {
    const client = await call.client();
    const { id, name } = await findFollowed(client, call.args.garden);
    const body = call.options.again ? { again: true } : {};
    const { data } = await client.call('gardens.sync', { params: { id }, body });
    return printDone(call, data, `The repository of ${name} is being read. See hortus gardens commits ${name}`);
  },
});

/** Exit code if there are differences, as of `hortus diff`; it is written in the help. */
const DIFFERENCES = 2;

export const gardensDrift = command({
  name: 'gardens drift',
  summary: 'Compare the last applied commit with what exists',
  about: 'Changes nothing. Exits with 0 if everything is as the file says and with 2 if there are differences.',
  args: ['garden'],
  examples: [['hortus gardens drift home', 'What was changed by hand since.']],
  calls: ['gardens.list', 'gardens.drift'],
  async run({ args, json, client, world: { terminal } }) {
    const service = await client();
    const { id, name } = await findFollowed(service, args.garden);
    const { data } = await service.call('gardens.drift', { params: { id } });
    const { commit, plan } = data;
    if (json) printJson(terminal, data);
    else if (commit === null || plan === null) terminal.out(`No commit of ${name} was applied yet.\n`);
    else if (plan.changes.length === 0) terminal.out(`${name} is as ${commitTitle(commit)} says.\n`);
    else {
      terminal.out(`${gardenPlanText(terminal, plan)}Compared with ${commitTitle(commit)}.\n`);
      terminal.note(`hortus gardens sync ${name} --again applies it once more.\n`);
    }
    return plan !== null && plan.changes.length > 0 ? DIFFERENCES : 'ok';
  },
});
