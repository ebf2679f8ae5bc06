import type { DaemonUpdate } from '@hortus/contract/resources/daemon-updates';
import { command } from '../command-line/command.ts';
import { printDone, printList } from '../command-line/printing.ts';
import { progress, report, updateStyles, verdict } from '../output/daemon-update.ts';
import { printJson } from '../output/json.ts';
import { status } from '../output/status.ts';
import { ago } from '../output/words.ts';

const anId = 'dup_01j9zq3v5t8x2m4n6p7r9s0abc';

export const serversUpdates = command({
  name: 'servers updates',
  summary: 'List the updates of daemons, or show one',
  args: ['update?'],
  examples: [
    ['hortus servers updates', 'Newest first.'],
    [`hortus servers updates ${anId}`, 'Its servers, stage by stage, and why it is halted.'],
  ],
  calls: ['daemon-updates.list', 'daemon-updates.read'],
  async run(call) {
    const client = await call.client();
    const { terminal, now } = call.world;
    if (call.args.update !== undefined) {
      const { data } = await client.call('daemon-updates.read', { params: { id: call.args.update } });
      if (call.json) printJson(terminal, data);
      else terminal.out(report(terminal, data));
      return 'ok';
    }
    const { data } = await client.call('daemon-updates.list', { query: { per_page: 100 } });
    const columns = [
      { title: 'Version', text: ({ version }: DaemonUpdate) => version },
      {
        title: 'Status',
        painted: (update: DaemonUpdate) => status(terminal, update.status, updateStyles[update.status]),
      },
      { title: 'Stage', text: ({ stage, stages }: DaemonUpdate) => `${stage} of ${stages.length}` },
      { title: 'Servers', text: progress },
      { title: 'Begun', text: ({ created_at }: DaemonUpdate) => ago(created_at, now()) },
      { title: 'Id', text: ({ id }: DaemonUpdate) => id },
    ];
    return printList(call, data, columns, 'No daemon was updated yet. Start with hortus servers update --all');
  },
});

export const serversUpdatesContinue = command({
  name: 'servers updates continue',
  summary: 'Continue a halted update of daemons',
  about: 'Accepts the failures so far; the remaining servers are updated, stage by stage.',
  args: ['update'],
  examples: [[`hortus servers updates continue ${anId}`, 'After you have looked at why a daemon failed.']],
  calls: ['daemon-updates.continue'],
  async run(call) {
    const { update: id } = call.args;
    const { data } = await (await call.client()).call('daemon-updates.continue', { params: { id } });
    return printDone(call, data, verdict(data));
  },
});

export const serversUpdatesCancel = command({
  name: 'servers updates cancel',
  summary: 'Cancel an update of daemons',
  about: 'No further daemon is updated. Those that have begun finish.',
  args: ['update'],
  examples: [[`hortus servers updates cancel ${anId}`, 'The servers that have not begun stay as they are.']],
  calls: ['daemon-updates.cancel'],
  async run(call) {
    const { update: id } = call.args;
    const { data } = await (await call.client()).call('daemon-updates.cancel', { params: { id } });
    return printDone(call, data, verdict(data));
  },
});
