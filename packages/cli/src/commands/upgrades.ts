import { upgradeMachine } from '@hortus/contract/machines/upgrade';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { chosen } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { printDone, printList } from '../command-line/printing.ts';
import { findUpgrade } from '../lookup/upgrades.ts';
import { status } from '../output/status.ts';
import { count } from '../output/words.ts';

export const upgradesList = command({
  name: 'upgrades list',
  summary: 'List the upgrades of instances',
  options: {
    species: { type: 'string', value: 'species', about: 'Only of this species.' },
    status: { type: 'string', value: 'status', about: `Only ${upgradeMachine.states.join(', ')}.` },
  },
  examples: [
    ['hortus upgrades list', 'Available upgrades, and what each still needs.'],
    ['hortus upgrades list --json | jq .[0].changes', 'All changes of the first upgrade.'],
  ],
  calls: ['upgrades.list'],
  async run(call) {
    const { species } = call.options;
    const state = chosen('status', call.options.status, upgradeMachine.states);
    const query = { ...(species ? { species } : {}), ...(state ? { status: state } : {}) };
    const rows = await Array.fromAsync((await call.client()).pages('upgrades.list', { query }));
    const { terminal } = call.world;
    const columns = [
      { title: 'Instance', text: (upgrade: Upgrade) => upgrade.instance_name },
      { title: 'Species', text: (upgrade: Upgrade) => upgrade.species },
      { title: 'From', text: (upgrade: Upgrade) => upgrade.from_version },
      { title: 'To', text: (upgrade: Upgrade) => upgrade.to_version },
      { title: 'Status', painted: (upgrade: Upgrade) => status(terminal, upgrade.status, styles[upgrade.status]) },
      { title: 'Needs', text: needs },
      { title: 'Id', text: (upgrade: Upgrade) => upgrade.id },
    ];
    return printList(call, rows, columns, 'All instances run the newest version.');
  },
});

const styles = {
  available: undefined,
  acknowledged: undefined,
  applying: 'begun',
  applied: 'good',
  failed: 'bad',
} as const;

/** Describes what blocks the upgrade, or why it failed. */
function needs({ status: state, reason, conflicts, new_inputs, irreversible, data, refusal }: Upgrade): string {
  if (state === 'failed') return reason ?? '';
  if (state !== 'available' && state !== 'acknowledged') return '';
  if (refusal) return `refused: ${refusal.reason} ${refusal.instead}`;
  const asked = new_inputs.filter(({ required }) => required).map(({ name }) => `--set ${name}=…`);
  const decided = conflicts.map(({ field, message }) => (field === 'version' ? message : `a decision on ${field}`));
  const warned = [
    ...(data === 'dump_restore' ? ['rebuilds the data from a dump'] : []),
    ...(irreversible.length > 0 ? ['cannot be undone by code alone'] : []),
  ];
  return [...asked, ...decided, ...warned].join(', ');
}

export const upgradesScan = command({
  name: 'upgrades scan',
  summary: 'Search for upgrades now',
  examples: [['hortus upgrades scan', 'The service also searches by itself.']],
  calls: ['upgrades.scan'],
  async run(call) {
    const { data } = await (await call.client()).call('upgrades.scan', { body: {} });
    const { scanned, found, available, refused } = data;
    const stuck = refused > 0 ? `, ${refused} refused; hortus upgrades list says what to do instead` : '';
    const words = `Checked ${count(scanned, 'instance')}: ${found} new, ${available} waiting for a decision${stuck}.`;
    return printDone(call, data, words);
  },
});

export const upgradesAck = command({
  name: 'upgrades ack',
  summary: 'Acknowledge an upgrade without applying it',
  args: ['upgrade'],
  examples: [['hortus upgrades ack miniflux', 'By the name of the instance, or by id.']],
  calls: ['upgrades.list', 'upgrades.acknowledge'],
  async run(call) {
    const client = await call.client();
    const { id } = await findUpgrade(client, call.args.upgrade);
    const { data } = await client.call('upgrades.acknowledge', { params: { id } });
    return printDone(call, data, `${data.instance_name} stays on ${data.from_version} for now.`);
  },
});
