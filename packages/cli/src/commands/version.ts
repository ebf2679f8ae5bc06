import { readFileSync } from 'node:fs';
import { command } from '../command.ts';
import { printJson } from '../output/json.ts';

export function ownVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

export const version = command({
  name: 'version',
  summary: 'Print the version of this program',
  examples: [['hortus version', 'hortus doctor tells that of the service too.']],
  async run({ json, world }) {
    if (json) printJson(world.terminal, { version: ownVersion() });
    else world.terminal.out(`hortus ${ownVersion()}\n`);
    return 'ok';
  },
});
