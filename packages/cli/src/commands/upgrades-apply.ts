import type { Client } from '@hortus/client/client';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { upgradeInputOptions, upgradeInputs } from '../arguments/upgrade-inputs.ts';
import { command } from '../command-line/command.ts';
import type { Exit } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { followUpgrade } from '../following/upgrade.ts';
import { findUpgrade } from '../lookup/upgrades.ts';
import { agree, waiting, waitOptions } from '../orders/asking.ts';
import { withBackupHint } from '../orders/rehearsing.ts';
import { printJson } from '../output/json.ts';
import { count } from '../output/words.ts';
import type { World } from '../world/world.ts';

export const upgradesApply = command({
  name: 'upgrades apply',
  summary: 'Apply one upgrade, or all upgrades of a species in turn',
  about:
    'Keeps your inputs, backs up as the template declares, deploys and watches. An unhealthy upgrade is rolled back automatically.\nAn upgrade never skips a required stop of the template: apply one after another until the newest version runs.\nWith --species, each upgrade starts after the previous one was applied; the first failure stops the rest.',
  args: ['upgrade?'],
  options: {
    species: { type: 'string', value: 'species', about: 'Apply all open upgrades of this species.' },
    ...upgradeInputOptions,
    rehearse: { type: 'boolean', about: 'Rehearse it on a copy first, and apply it only if that passed.' },
    'without-backup': {
      type: 'boolean',
      about: 'Skip the declared backup: nothing can bring the present data back.',
    },
    yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' },
    ...waitOptions,
  },
  examples: [
    ['hortus upgrades apply miniflux --wait', 'Shows the changes, asks, and waits for the result.'],
    ['hortus upgrades apply miniflux --set LICENCE=ours --yes', 'Sets a new input and skips the confirmation.'],
    ['hortus upgrades apply miniflux --rehearse --wait', 'Applies it only if its rehearsal passed.'],
    ['hortus upgrades apply --species miniflux --yes', 'All upgrades, one by one.'],
  ],
  calls: ['upgrades.list', 'upgrades.read', 'upgrades.apply', 'upgrades.applyAll'],
  async run(call) {
    const { args, options } = call;
    waiting(options);
    if ((args.upgrade === undefined) === (options.species === undefined))
      throw new Failure('usage', 'Name an upgrade, or --species.', {
        hint: 'hortus upgrades list shows what there is.',
      });
    if (options['without-backup'] && options.species !== undefined)
      throw new Failure('usage', '--without-backup is for one upgrade; name it.', {
        hint: 'hortus upgrades list shows what there is.',
      });
    const client = await call.client();
    const begun =
      options.species === undefined
        ? await item(call, client, await findUpgrade(client, args.upgrade ?? ''))
        : await all(call, client, options.species);
    if (begun.length === 0) return 'ok';
    return settle(call, client, begun);
  },
});

interface Wishes {
  readonly world: World;
  readonly json: boolean;
  readonly options: {
    readonly set: readonly string[];
    readonly 'set-file': readonly string[];
    readonly drop: readonly string[];
    readonly rehearse: boolean;
    readonly 'without-backup': boolean;
    readonly yes: boolean;
    readonly wait: boolean;
    readonly timeout: string | undefined;
  };
}

async function item(call: Wishes, client: Client, upgrade: Upgrade): Promise<Upgrade[]> {
  const { world, options } = call;
  const { instance_name, from_version, to_version, changes, irreversible, refusal } = upgrade;
  if (refusal)
    throw new Failure('refused', `${instance_name} cannot be upgraded to ${to_version}: ${refusal.reason}`, {
      hint: refusal.instead,
    });
  if (!call.json) for (const line of briefing(upgrade)) world.terminal.out(`${line}\n`);
  const warned = irreversible.map(({ message }) => ` ${message}`).join('');
  const unprotected = options['without-backup'] ? ' No backup is made: nothing can bring the present data back.' : '';
  const question = `Upgrade ${instance_name} from ${from_version} to ${to_version}, with ${count(changes.length, 'change')}?${warned}${unprotected}`;
  if (!(await agree(world, question, options.yes))) {
    world.terminal.out('Nothing was changed.\n');
    return [];
  }
  const inputs = await upgradeInputs(world, options);
  const body = {
    inputs,
    ...(options.rehearse && { rehearse: true }),
    ...(options['without-backup'] && { without_backup: true }),
  };
  const apply = () => client.call('upgrades.apply', { params: { id: upgrade.id }, body });
  return [(await withBackupHint(apply, 'Make one with hortus backups create.')).data];
}

/** Tells what to know before an upgrade: notes about versions on the way, required stops, and a rebuild of the data. */
function briefing({ notes, stops, data }: Upgrade): string[] {
  return [
    ...notes.map(({ version, text }) => `${version}: ${text.trim()}`),
    ...(stops.length > 0
      ? [`Required stops before the newest version: ${stops.join(', ')}. The next upgrade follows after this one.`]
      : []),
    ...(data === 'dump_restore'
      ? ['The data is dumped, and restored into new volumes. The application is down meanwhile.']
      : []),
  ];
}

async function all(call: Wishes, client: Client, species: string): Promise<Upgrade[]> {
  const question = `Apply every open upgrade of ${species} in turn?`;
  if (!(await agree(call.world, question, call.options.yes))) {
    call.world.terminal.out('Nothing was changed.\n');
    return [];
  }
  const body = { species, ...(call.options.rehearse && { rehearse: true }) };
  return (await client.call('upgrades.applyAll', { body })).data.upgrades;
}

/** Follows the upgrades in order and stops at the first failure. */
async function settle(call: Wishes, client: Client, begun: readonly Upgrade[]): Promise<Exit> {
  const { world, json, options } = call;
  const { wait, timeout } = waiting(options);
  const ended: Upgrade[] = [];
  for (const item of wait ? begun : []) {
    const unfinished = `The upgrade ${item.id} is still running.`;
    const upgrade = await followUpgrade(client, item, world, { timeout, unfinished });
    ended.push(upgrade);
    if (!json) world.terminal.out(`${outcome(upgrade)}\n`);
    if (upgrade.status === 'failed') break;
  }
  if (json) printJson(world.terminal, wait ? ended : begun);
  else if (!wait)
    for (const upgrade of begun)
      world.terminal.out(`${upgrade.instance_name} is being upgraded to ${upgrade.to_version} (${upgrade.id}).\n`);
  return ended.some(({ status }) => status === 'failed') ? 'failed' : 'ok';
}

const outcome = ({ instance_name, status, from_version, to_version, error }: Upgrade): string =>
  status === 'applied'
    ? `${instance_name} now runs ${to_version}.`
    : `${instance_name} could not be upgraded from ${from_version} to ${to_version}: ${error ?? 'it failed'}`;
