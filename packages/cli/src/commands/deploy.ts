import { agree, waiting, waitOptions } from '../asking.ts';
import { command } from '../command.ts';
import { carryOut, makePlan, planWords } from '../deploying/plan.ts';
import { settleDeployment } from '../deploying/settle.ts';
import { planText } from '../deploying/show-plan.ts';
import type { Exit } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { safeLine } from '../output/safe-text.ts';

export const deploy = command({
  name: 'deploy',
  summary: 'Plant a species on a server, or deploy a change to it',
  about:
    'Where there is no definition of that name one is made. Where there is one, what is given with --set, --profile and\n--variant is merged into it as a new revision, and the rest stays. Asks for required inputs that are missing.',
  args: ['species?'],
  options: {
    server: {
      type: 'string',
      value: 'server',
      about: 'Where it runs, by name or id; may be left out if there is only one.',
    },
    name: { type: 'string', value: 'uid', about: 'Its unique name; the species unless said.' },
    definition: { type: 'string', value: 'uid', about: 'Deploy this definition, by uid or id; it must be there.' },
    set: { type: 'string', value: 'input=value', multiple: true, about: 'The value of an input.' },
    'set-file': {
      type: 'string',
      value: 'input=path',
      multiple: true,
      about: 'A value read from a file; - is a pipe.',
    },
    unset: { type: 'string', value: 'input', multiple: true, about: 'Take a value away again.' },
    profile: { type: 'string', value: 'profile', about: 'minimal, development, production or one of the template.' },
    variant: { type: 'string', value: 'variant', about: 'Image variant of the template.' },
    pull: {
      type: 'boolean',
      about: 'Ask the registries for every image again, and replace what runs on a former one.',
    },
    'backup-first': {
      type: 'boolean',
      about: 'Make the backup of its template before anything is changed; if that fails, nothing is.',
    },
    plan: { type: 'boolean', about: 'Show what would change before asking, and do that or nothing.' },
    yes: { type: 'boolean', about: 'Do not ask.' },
    ...waitOptions,
  },
  examples: [
    [
      'hortus deploy miniflux --server web-1 --set WEB_HOSTNAME=feeds.example.org --wait',
      'Plants it and shows the steps until it is healthy.',
    ],
    [
      'hortus deploy static-site --name landing --set-file PAGE_BODY=page.html --variant stable-alpine',
      'A value from a file, under a name of its own.',
    ],
    ['hortus deploy --definition landing --set PAGE_TITLE=Soon --plan', 'Shows what that changes, and asks.'],
    [
      'hortus deploy --definition landing --set PAGE_TITLE=Soon --yes --wait',
      'A change to what is there, from a script.',
    ],
    [
      'hortus deploy --definition feeds --set WORKERS=4 --backup-first --yes --wait',
      'With a backup that hortus deployments rollback --with-data brings back.',
    ],
    ['hortus deploy --definition landing --pull --yes --wait', 'The same again, with what its tags stand for by now.'],
  ],
  calls: [
    'templates.read',
    'servers.list',
    'servers.read',
    'definitions.list',
    'definitions.read',
    'definitions.create',
    'definitions.update',
    'definitions.activate',
    'deployments.plan',
    'deployments.execute',
    'deployments.read',
    'instances.read',
  ],
  async run({ args, options, json, client, world }): Promise<Exit> {
    const { terminal } = world;
    waiting(options);
    if (options.definition !== undefined && options.name !== undefined) {
      throw new Failure('usage', '--definition and --name are two ways to say the same; give one.');
    }
    const service = await client();
    const plan = await makePlan(world, service, { ...options, species: args.species, setFile: options['set-file'] });
    if (plan.existing?.status === 'archived' && !terminal.interactive && !options.yes) {
      throw new Failure('usage', planWords(plan), { hint: 'Add --yes to do it without being asked.' });
    }
    if (!json) terminal.note(`${safeLine(planWords(plan))}\n`);
    // A plan is of a revision, so with one the question comes after that is made.
    if (!options.plan && !(await agree(world, `Deploy ${plan.uid}?`, options.yes))) {
      terminal.note('Nothing was changed.\n');
      return 'ok';
    }
    const { id, current_revision } = await carryOut(service, plan);
    const foreseen = options.plan ? (await service.call('deployments.plan', { params: { id } })).data : undefined;
    if (foreseen) {
      if (!json) terminal.note(planText(terminal, foreseen));
      if (!(await agree(world, `Deploy ${plan.uid} like this?`, options.yes))) {
        terminal.note(`Nothing was deployed. Revision ${current_revision} is what the next deployment takes.\n`);
        return 'ok';
      }
    }
    const body = {
      definition_id: id,
      ...(foreseen && { plan_hash: foreseen.plan_hash }),
      ...(options.pull && { pull: true }),
      ...(options['backup-first'] && { backup_first: true }),
    };
    const ordered = (await service.call('deployments.execute', { body })).data;
    return settleDeployment({ world, json, options }, service, ordered, { uid: plan.uid, server: plan.server.name });
  },
});
