import { upgradeInputOptions, upgradeInputs } from '../arguments/upgrade-inputs.ts';
import { command } from '../command-line/command.ts';
import { findUpgrade } from '../lookup/upgrades.ts';
import { rehearsalOptions, settleRehearsal, withBackupHint } from '../orders/rehearsing.ts';

export const upgradesRehearse = command({
  name: 'upgrades rehearse',
  summary: 'Try an upgrade on an isolated copy with your data',
  about:
    'Restores the newest backup into a copy on the same server, applies the upgrade there with its migrations, tests it, and removes the copy.\nThe copy has no routes, no schedules and no network connection to the outside. The running instance is not touched.',
  args: ['upgrade'],
  options: {
    ...upgradeInputOptions,
    ...rehearsalOptions,
  },
  examples: [
    ['hortus upgrades rehearse miniflux', 'Waits, and reports whether it passed or what broke.'],
    ['hortus upgrades rehearse miniflux --fresh', 'With a new backup, which may stop the application for a moment.'],
  ],
  calls: ['upgrades.list', 'upgrades.read', 'upgrades.rehearse', 'rehearsals.read'],
  async run(call) {
    const { args, options, world } = call;
    const client = await call.client();
    const { id } = await findUpgrade(client, args.upgrade);
    const inputs = await upgradeInputs(world, options);
    const body = { inputs, ...(options.fresh && { fresh_backup: true }) };
    const { data } = await withBackupHint(() => client.call('upgrades.rehearse', { params: { id }, body }));
    return settleRehearsal(call, client, data);
  },
});
