import type { Balance } from '@hortus/contract/resources/placement-records';
import { command } from '../command-line/command.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import { table } from '../output/table.ts';
import { memory } from '../output/words.ts';

type Server = Balance['servers'][number];

export const serversBalance = command({
  name: 'servers balance',
  summary: 'Propose moves that even out the load of the servers',
  about: 'Moves nothing: prints the commands that would. Compares the memory that is reserved on each server.',
  examples: [['hortus servers balance', 'How full each server is, and what could move where.']],
  calls: ['servers.balance'],
  async run({ json, client, world: { terminal } }) {
    const { data } = await (await client()).call('servers.balance');
    if (json) {
      printJson(terminal, data);
      return 'ok';
    }
    if (data.servers.length === 0) {
      terminal.out('No online server has reported its capacity yet.\n');
      return 'ok';
    }
    const columns = [
      { title: 'Server', text: ({ name }: Server) => name },
      { title: 'Memory', text: ({ memory_bytes }: Server) => memory(memory_bytes) },
      { title: 'Taken', text: (server: Server) => percent(server.taken_bytes, server) },
      { title: 'After the moves', text: (server: Server) => percent(server.taken_bytes_after, server) },
    ];
    terminal.out(table(terminal, columns, data.servers));
    if (data.moves.length === 0) terminal.out('No move would help noticeably.\n');
    for (const { name, reason, command: line } of data.moves)
      terminal.out(`${safeLine(`${name}: ${reason}`)}\n  ${safeLine(line)}\n`);
    return 'ok';
  },
});

const percent = (bytes: number, { memory_bytes }: Server): string => `${Math.round((100 * bytes) / memory_bytes)} %`;
