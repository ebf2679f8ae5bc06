import type { Rehearsal } from '@hortus/contract/resources/rehearsals';
import { command } from '../command-line/command.ts';
import { printDone, printList } from '../command-line/printing.ts';
import { findInstance } from '../lookup/instances.ts';
import { printJson } from '../output/json.ts';
import { report, verdict } from '../output/rehearsal.ts';
import { status } from '../output/status.ts';
import { ago } from '../output/words.ts';

const styles = {
  preparing: 'begun',
  restoring: 'begun',
  applying: 'begun',
  testing: 'begun',
  passed: 'good',
  failed: 'bad',
} as const;

export const rehearsalsList = command({
  name: 'rehearsals list',
  summary: 'List rehearsals and clones, newest first',
  options: { instance: { type: 'string', value: 'instance', about: 'Only of this instance.' } },
  examples: [['hortus rehearsals list --instance miniflux', 'What was tried on copies of one instance.']],
  calls: ['instances.list', 'rehearsals.list'],
  async run(call) {
    const client = await call.client();
    const { instance } = call.options;
    const query = instance === undefined ? {} : { instance_id: (await findInstance(client, instance)).id };
    const { data } = await client.call('rehearsals.list', { query: { ...query, per_page: 100 } });
    const { terminal, now } = call.world;
    const columns = [
      { title: 'Instance', text: (rehearsal: Rehearsal) => rehearsal.instance_name },
      { title: 'Kind', text: (rehearsal: Rehearsal) => rehearsal.kind },
      { title: 'From', text: (rehearsal: Rehearsal) => rehearsal.from_version },
      { title: 'To', text: (rehearsal: Rehearsal) => rehearsal.to_version },
      {
        title: 'Status',
        painted: (rehearsal: Rehearsal) => status(terminal, rehearsal.status, styles[rehearsal.status]),
      },
      { title: 'Copy', text: (rehearsal: Rehearsal) => (rehearsal.removed ? 'removed' : 'exists') },
      { title: 'Begun', text: (rehearsal: Rehearsal) => ago(rehearsal.created_at, now()) },
      { title: 'Id', text: (rehearsal: Rehearsal) => rehearsal.id },
    ];
    return printList(call, data, columns, 'Nothing was rehearsed yet. Start with hortus upgrades rehearse');
  },
});

export const rehearsalsShow = command({
  name: 'rehearsals show',
  summary: 'Show the report of a rehearsal or clone',
  args: ['rehearsal'],
  examples: [['hortus rehearsals show reh_01j9zq3v5t8x2m4n6p7r9s0abc', 'What broke, and how long each step took.']],
  calls: ['rehearsals.read'],
  async run({ args, json, client, world: { terminal } }) {
    const { data } = await (await client()).call('rehearsals.read', { params: { id: args.rehearsal } });
    if (json) printJson(terminal, data);
    else terminal.out(`${verdict(data)}\n${report(terminal, data)}`);
    return 'ok';
  },
});

export const rehearsalsRemove = command({
  name: 'rehearsals remove',
  summary: 'Remove the copy of a clone now, or cancel a rehearsal',
  args: ['rehearsal'],
  examples: [['hortus rehearsals remove reh_01j9zq3v5t8x2m4n6p7r9s0abc', 'The report stays.']],
  calls: ['rehearsals.remove'],
  async run(call) {
    const { data } = await (await call.client()).call('rehearsals.remove', { params: { id: call.args.rehearsal } });
    return printDone(call, data, 'The copy is being removed.');
  },
});
