import type { Client } from '@hortus/client/client';
import type { GardenRunDetail } from '@hortus/contract/resources/garden-records';
import type { GardenFiles } from '@hortus/contract/resources/gardens';
import { command } from '../command-line/command.ts';
import { printDone } from '../command-line/printing.ts';
import type { Exit } from '../exit-codes.ts';
import { followGardenRun } from '../following/garden-run.ts';
import { fileOption, GARDEN_FILE, readGardenFiles } from '../gardens/garden-files.ts';
import { countsText, gardenPlanText, requireApplicable } from '../gardens/show-plan.ts';
import { agree, waiting, waitOptions } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import { safeLine, safeText } from '../output/safe-text.ts';
import { count } from '../output/words.ts';

const pruneOption = {
  prune: { type: 'boolean', about: 'Also archive or remove what this garden made and what left the file.' },
} as const;

const planOf = async (client: Client, body: GardenFiles) => (await client.call('gardens.plan', { body })).data;

/** Exit code of `diff` if there are changes, as programs of this name do; it is written in the help. */
const CHANGES = 2;

export const diff = command({
  name: 'diff',
  summary: 'Compare a garden file with what exists',
  about:
    'Changes nothing. Exits with 0 if there is nothing to do and with 2 if there are changes.\nThe file is described in docs/gardens.md; editors complete it by /schemas/garden.json of the service.',
  options: { ...fileOption, ...pruneOption },
  examples: [
    ['hortus diff', `Shows what hortus apply would do with ${GARDEN_FILE}.`],
    ['hortus diff -f home.yaml --prune --json', 'The plan with removals, as JSON.'],
  ],
  calls: ['gardens.plan'],
  async run({ options, json, client, world }) {
    const files = await readGardenFiles(world, options);
    const plan = await planOf(await client(), { ...files, prune: options.prune });
    if (json) printJson(world.terminal, plan);
    else world.terminal.out(gardenPlanText(world.terminal, plan));
    requireApplicable(plan);
    return plan.changes.length === 0 ? 'ok' : CHANGES;
  },
});

export const apply = command({
  name: 'apply',
  summary: 'Make everything as a garden file says',
  about:
    'Shows the plan, asks, and lets the service carry it out: in the order of needs, at most four deployments at once, up to the first failure. The run continues if this program ends; run the command again to follow it, or to continue after a failure.',
  options: {
    ...fileOption,
    ...pruneOption,
    yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' },
    ...waitOptions,
  },
  examples: [
    ['hortus apply --wait', `Shows the plan of ${GARDEN_FILE}, asks, and waits for the end.`],
    ['hortus apply -f home.yaml --prune --yes --wait', 'In a pipeline, with removals.'],
  ],
  calls: ['gardens.plan', 'gardens.apply', 'gardens.run'],
  async run({ options, json, client, world }): Promise<Exit> {
    const { terminal } = world;
    const { wait, timeout } = waiting(options);
    const files = { ...(await readGardenFiles(world, options)), prune: options.prune };
    const service = await client();
    const plan = await planOf(service, files);
    requireApplicable(plan);
    if (plan.changes.length === 0)
      return printDone({ json, world }, plan, `Nothing to do: ${countsText(plan.counts)}.`);
    if (!json) terminal.note(gardenPlanText(terminal, plan));
    if (!(await agree(world, `Apply ${count(plan.changes.length, 'change')} to ${plan.name}?`, options.yes))) {
      terminal.note('Nothing was changed.\n');
      return 'ok';
    }
    const begun = (await service.call('gardens.apply', { body: { ...files, plan_hash: plan.plan_hash } })).data;
    const outside = options['allow-outside'] ? ' --allow-outside' : '';
    const again = `hortus apply${options.file === undefined ? '' : ` -f ${options.file}`}${outside} --wait`;
    if (!wait) return printDone({ json, world }, begun, `Run ${begun.id} has begun. Follow it with: ${again}`);
    const unfinished = `The run ${begun.id} continues in the service. Follow it with: ${again}`;
    world.leaving(unfinished);
    const run = await followGardenRun(service, begun, world, { timeout, unfinished, quiet: json });
    if (json) printJson(terminal, run);
    else terminal.out(`${outcome(run)}\n`);
    return run.status === 'succeeded' ? 'ok' : 'failed';
  },
});

function outcome({ garden_name, status, error, done, changes }: GardenRunDetail): string {
  if (status === 'succeeded') return `${garden_name} is as the file says: ${count(done, 'change')} done.`;
  return safeText(
    `${garden_name} was not applied completely, ${done} of ${changes.length} changes are done. ${safeLine(error ?? '')}\nCorrect it and run the command again; what is done stays.`,
  );
}

export const exportGarden = command({
  name: 'export garden',
  summary: 'Write a garden file from what exists',
  about: 'Prints the file. Secrets are left out, which keeps their stored values. Applying the file changes nothing.',
  options: {
    name: {
      type: 'string',
      value: 'name',
      about: 'Name of the garden; if it exists, only what it has. Otherwise everything of the account.',
    },
  },
  examples: [['hortus export garden --name home > garden.yaml', 'Begins a garden from what already runs.']],
  calls: ['gardens.export'],
  async run({ options, json, client, world: { terminal } }) {
    const query = options.name === undefined ? {} : { name: options.name };
    const { data } = await (await client()).call('gardens.export', { query });
    if (json) printJson(terminal, data);
    else terminal.out(safeText(data.source));
  },
});
