import type { Rehearsal } from '@hortus/contract/resources/rehearsals';
import { command } from '../command.ts';
import { findInstance } from '../lookup/instances.ts';
import { printJson } from '../output/json.ts';
import { report, verdict } from '../output/rehearsal.ts';
import { status } from '../output/status.ts';
import { ago } from '../output/words.ts';
import { printDone, printList } from '../printing.ts';

const looks = {
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
      { title: 'Instance', text: (one: Rehearsal) => one.instance_name },
      { title: 'Kind', text: (one: Rehearsal) => one.kind },
      { title: 'From', text: (one: Rehearsal) => one.from_version },
      { title: 'To', text: (one: Rehearsal) => one.to_version },
      { title: 'Status', painted: (one: Rehearsal) => status(terminal, one.status, looks[one.status]) },
      { title: 'Copy', text: (one: Rehearsal) => (one.removed ? 'removed' : 'exists') },
      { title: 'Begun', text: (one: Rehearsal) => ago(one.created_at, now()) },
      { title: 'Id', text: (one: Rehearsal) => one.id },
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
