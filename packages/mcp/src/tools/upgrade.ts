import { inputChanges } from '@hortus/contract/resources/definitions';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import Type from 'typebox';
import { changeTool } from '../change-tool.ts';
import { findInstance } from '../lookup.ts';
import { facts, listed } from '../text/bounded.ts';
import { cited, oneLine } from '../text/untrusted.ts';
import { Refusal } from '../tool.ts';
import { instanceField } from './instances.ts';
import { ordered } from './ordered.ts';

export const upgrade = changeTool({
  name: 'upgrade',
  title: 'Upgrade',
  description:
    'Upgrade an application to the newer version of its template; it is backed up before and rolled back if it becomes unhealthy.',
  input: Type.Object({
    ...instanceField,
    inputs: Type.Optional(inputChanges('Values for inputs that the newer version needs.')),
  }),
  async plan({ service }, { instance, inputs }) {
    const { id, instance_uid } = await findInstance(service, instance);
    const { data } = await service.call('upgrades.list', {
      query: { instance_id: id, status: 'available', per_page: 5 },
    });
    const [newest] = data;
    if (newest === undefined) throw new Refusal(`instance: ${instance_uid} has no available upgrade.`);
    const { changes, conflicts, irreversible, new_inputs, to_version, refusal } = newest;
    if (refusal)
      throw new Refusal(
        `instance: ${instance_uid} cannot be upgraded to ${to_version}. ${cited(refusal.reason)} Instead: ${cited(refusal.instead)}`,
      );
    return {
      text: describe(newest, instance_uid),
      state: { id: newest.id, to_version, changes, conflicts, irreversible, new_inputs },
      async carryOut() {
        const body = inputs === undefined ? {} : { inputs };
        const { data: applied } = await service.call('upgrades.apply', { params: { id: newest.id }, body });
        return ordered(`Upgrading ${instance_uid} to ${to_version}.`, applied.id);
      },
    };
  },
});

function describe(upgrade: Upgrade, uid: string): string {
  return [
    `upgrade ${uid}: ${upgrade.species} ${upgrade.from_version} → ${upgrade.to_version}`,
    listed(
      upgrade.changes,
      (change) => `- ${facts(`${change.area} ${oneLine(change.name, 60)} ${change.change}`, change.component)}`,
      {
        max: 15,
        none: '- no changes of the template',
      },
    ),
    ...upgrade.conflicts.map(({ field, message }) => `- conflict ${field}: ${cited(message)}`),
    ...upgrade.new_inputs
      .filter(({ required }) => required)
      .map(({ name, type }) => `- needs the input ${name} (${type})`),
    ...upgrade.notes.map(({ version, text }) => `- note about ${version}: ${cited(text)}`),
    ...(upgrade.stops.length > 0 ? [`- required stops before the newest version: ${upgrade.stops.join(', ')}`] : []),
    ...(upgrade.data === 'dump_restore'
      ? ['- the data is dumped and restored into new volumes; it is down meanwhile']
      : []),
    ...upgrade.irreversible.map(
      ({ component, message }) => `- a rollback would not undo ${component}: ${cited(message)}`,
    ),
  ].join('\n');
}
