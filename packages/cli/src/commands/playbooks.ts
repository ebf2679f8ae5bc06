import { command } from '../command-line/command.ts';
import { printDone, printList } from '../command-line/printing.ts';

export const playbooksList = command({
  name: 'playbooks list',
  summary: 'List the playbooks of the daemon',
  examples: [['hortus playbooks list', 'Explains the steps that logs mention.']],
  calls: ['playbooks.list'],
  async run(call) {
    const rows = await Array.fromAsync((await call.client()).pages('playbooks.list'));
    type Row = (typeof rows)[number];
    const columns = [
      { title: 'Playbook', text: ({ type }: Row) => type },
      { title: 'Steps', text: ({ steps }: Row) => String(steps.length) },
      { title: 'Description', text: ({ description }: Row) => description },
    ];
    return printList(call, rows, columns, 'No playbooks.');
  },
});

export const playbooksShow = command({
  name: 'playbooks show',
  summary: 'Show the steps of a playbook',
  args: ['playbook'],
  examples: [['hortus playbooks show upgrade', 'What each step does.']],
  calls: ['playbooks.read'],
  async run(call) {
    const params = { playbook_type: call.args.playbook };
    const { data } = await (await call.client()).call('playbooks.read', { params });
    type Row = (typeof data.steps)[number];
    const columns = [
      { title: 'Step', text: ({ id }: Row) => id },
      { title: 'Name', text: ({ name }: Row) => name },
      { title: 'Description', text: ({ description }: Row) => description },
    ];
    if (call.json) return printDone(call, data, '');
    return printList(call, data.steps, columns, 'It has no steps.');
  },
});
