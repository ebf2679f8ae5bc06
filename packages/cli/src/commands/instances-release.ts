import type { Client } from '@hortus/client/client';
import type { Instance } from '@hortus/contract/resources/instance-records';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { findInstance } from '../lookup/instances.ts';
import { confirmByName, waiting, waitOptions } from '../orders/asking.ts';
import { count } from '../output/words.ts';
import type { World } from '../world/world.ts';
import { settle } from './instance-orders.ts';

export const instancesRelease = command({
  name: 'instances release',
  summary: 'Remove the containers of an instance, and on request its volumes',
  about: 'A critical volume is removed only if you name it with --confirm or type its name when asked.',
  args: ['instance'],
  options: {
    'remove-volumes': { type: 'boolean', about: 'Remove its volumes and their data.' },
    confirm: { type: 'string', value: 'volume', multiple: true, about: 'Name of a critical volume to remove.' },
    yes: { type: 'boolean', about: 'Skip the confirmation.' },
    ...waitOptions,
  },
  examples: [
    ['hortus instances release miniflux', 'Asks you to type the name, removes the containers, keeps the volumes.'],
    [
      'hortus instances release miniflux --remove-volumes --confirm dbdata --yes --wait',
      'Removes everything without asking.',
    ],
  ],
  calls: ['instances.list', 'actions.list', 'instances.release', 'actions.read'],
  async run(call) {
    const { args, options, world } = call;
    waiting(options);
    const service = await call.client();
    const instance = await findInstance(service, args.instance);
    const removing = options['remove-volumes'];
    const uid = instance.instance_uid;
    const containers = count(Math.max(1, instance.components.length), 'container');
    const decision = removing ? 'Its volumes and their data are removed too.' : 'Its volumes stay.';
    await confirmByName(world, `Releasing ${uid} removes ${containers}. ${decision}`, uid, options.yes);
    const confirm = removing ? await confirmedVolumes(world, service, instance, options.confirm) : [];
    const body = removing ? { remove_volumes: true, confirm } : {};
    const ordered = await service.call('instances.release', { params: { id: instance.id }, body });
    return settle(call, service, ordered, {
      ordered: `${uid} is being released.`,
      done: `${uid} is released. ${removing ? 'Its volumes were removed.' : 'Its volumes still exist.'}`,
    });
  },
});

/** Requires the name of each critical volume; --yes does not cover them. */
async function confirmedVolumes(
  { terminal }: World,
  service: Client,
  { id }: Instance,
  named: readonly string[],
): Promise<string[]> {
  const { backup } = await service.call('actions.list', { params: { id } });
  const confirmed = [...named];
  for (const { name, critical } of backup.volumes) {
    if (!critical || confirmed.includes(name)) continue;
    if (!terminal.interactive) {
      throw new Failure('usage', `The volume ${name} is critical.`, { hint: `Add --confirm ${name} to remove it.` });
    }
    const said = (await terminal.ask(`The volume ${name} is critical. Type its name to remove it: `)).trim();
    if (said !== name) throw new Failure('usage', 'The name does not match. Nothing was changed.');
    confirmed.push(name);
  }
  return confirmed;
}
