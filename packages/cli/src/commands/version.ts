import { VERSION } from '@hortus/contract/releases/version';
import { command } from '../command-line/command.ts';
import { printJson } from '../output/json.ts';

export const version = command({
  name: 'version',
  summary: 'Print the version of this program',
  examples: [['hortus version', 'hortus doctor tells that of the service too.']],
  async run({ json, world }) {
    if (json) printJson(world.terminal, { version: VERSION });
    else world.terminal.out(`hortus ${VERSION}\n`);
    return 'ok';
  },
});
