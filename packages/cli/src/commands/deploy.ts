import { command } from '../command-line/command.ts';
import { carryOut, makePlan, planWords } from '../deploying/plan.ts';
import { settleDeployment } from '../deploying/settle.ts';
import { planText } from '../deploying/show-plan.ts';
import type { Exit } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { agree, waiting, waitOptions } from '../orders/asking.ts';
import { safeLine } from '../output/safe-text.ts';

export const deploy = command({
  name: 'deploy',
  summary: 'Deploy a species to a server, or deploy a change',
  about:
    'Creates the definition if there is none with that name. Otherwise --set, --profile and --variant change it in a new\nrevision; everything else stays. Asks for missing required inputs.',
  args: ['species?'],
  options: {
    server: {
      type: 'string',
      value: 'server',
      about: 'Target server, by name or id; optional if there is only one. auto lets the service choose.',
    },
    label: { type: 'string', value: 'key=value', multiple: true, about: 'With --server auto: a label of the server.' },
    name: { type: 'string', value: 'uid', about: 'Unique name; default is the species.' },
    definition: { type: 'string', value: 'definition', about: 'Deploy this existing definition, by uid or id.' },
    set: { type: 'string', value: 'input=value', multiple: true, about: 'Value of an input.' },
    'set-file': {
      type: 'string',
      value: 'input=path',
      multiple: true,
      about: 'Value of an input, read from a file; - reads standard input.',
    },
    unset: { type: 'string', value: 'input', multiple: true, about: 'Reset an input to its default.' },
    profile: {
      type: 'string',
      value: 'profile',
      about: 'minimal, development, production, or a profile of the template.',
    },
    variant: { type: 'string', value: 'variant', about: 'Image variant of the template.' },
    need: {
      type: 'string',
      value: 'need=target',
      multiple: true,
      about: 'Meet a need by connection:<name> or instance:<uid>; none unbinds it.',
    },
    pull: {
      type: 'boolean',
      about: 'Pull every image again, and replace containers that run an older one.',
    },
    'backup-first': {
      type: 'boolean',
      about: 'Back up first; a failed backup stops the deployment.',
    },
    plan: { type: 'boolean', about: 'Show the plan before asking, and deploy exactly that plan.' },
    yes: { type: 'boolean', about: 'Skip the confirmation.' },
    ...waitOptions,
  },
  examples: [
    [
      'hortus deploy miniflux --server web-1 --set WEB_HOSTNAME=feeds.example.org --wait',
      'Deploys it and shows the steps until it is healthy.',
    ],
    [
      'hortus deploy static-site --name landing --set-file PAGE_BODY=page.html --variant stable-alpine',
      'Reads a value from a file and sets a name.',
    ],
    [
      'hortus deploy static-site --server auto --label site=berlin --yes',
      'On the server in Berlin with the most room.',
    ],
    ['hortus deploy --definition landing --set PAGE_TITLE=Soon --plan', 'Shows the plan and asks.'],
    [
      'hortus deploy --definition landing --set PAGE_TITLE=Soon --yes --wait',
      'Changes an existing definition from a script.',
    ],
    [
      'hortus deploy --definition feeds --set WORKERS=4 --backup-first --yes --wait',
      'Backs up first; hortus deployments rollback --with-data restores that backup.',
    ],
    [
      "hortus deploy vaultwarden --need 'mail=connection:Office mail' --need db=instance:postgres --wait",
      'Uses a saved mail server and a running database.',
    ],
    ['hortus deploy --definition landing --pull --yes --wait', 'Redeploys with the current images of its tags.'],
  ],
  calls: [
    'templates.read',
    'templates.list',
    'connections.list',
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
      throw new Failure('usage', '--definition and --name exclude each other.');
    }
    const service = await client();
    const plan = await makePlan(world, service, { ...options, species: args.species, setFile: options['set-file'] });
    if (plan.existing?.status === 'archived' && !terminal.interactive && !options.yes) {
      throw new Failure('usage', planWords(plan), { hint: 'Add --yes to skip the confirmation.' });
    }
    if (!json) terminal.note(`${safeLine(planWords(plan))}\n`);
    // A plan needs a revision, so with --plan the question comes after the revision is created.
    if (!options.plan && !(await agree(world, `Deploy ${plan.uid}?`, options.yes))) {
      terminal.note('Nothing was changed.\n');
      return 'ok';
    }
    const { id, current_revision, server, why } = await carryOut(service, plan);
    if (why !== undefined && !json) terminal.note(`${safeLine(why)}\n`);
    const foreseen = options.plan ? (await service.call('deployments.plan', { params: { id } })).data : undefined;
    if (foreseen) {
      if (!json) terminal.note(planText(terminal, foreseen));
      if (!(await agree(world, `Deploy ${plan.uid} as planned?`, options.yes))) {
        terminal.note(`Nothing was deployed. The next deployment uses revision ${current_revision}.\n`);
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
    return settleDeployment({ world, json, options }, service, ordered, { uid: plan.uid, server });
  },
});
