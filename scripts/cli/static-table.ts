import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commands } from '@hortus/cli/commands/all';
import { table } from '@hortus/cli/commands/table';
import type { Plugin } from 'rolldown';

const folder = join(import.meta.dirname, '../../packages/cli/src/commands');

/** Replaces the table of commands by data and one dynamic import per command, so that help loads no command. */
export const staticTable: Plugin = {
  name: 'static-table',
  load: {
    filter: { id: /packages\/cli\/src\/commands\/table\.ts$/ },
    handler: async () => {
      const exported = await exportsByName();
      const rows = table.map(
        (row) =>
          `{ ...${JSON.stringify(row)}, load: async () => (await import('./${exported.get(row.name)?.file}')).${exported.get(row.name)?.name} }`,
      );
      return `export const table = [${rows.join(',\n')}];`;
    },
  },
};

/** Finds the file and the export of each command. */
async function exportsByName(): Promise<Map<string, { file: string; name: string }>> {
  const found = new Map<string, { file: string; name: string }>();
  for (const file of await readdir(folder)) {
    if (/\.test\.ts$|^(all|table)\.ts$/.test(file)) continue;
    const exports: Record<string, unknown> = await import(join(folder, file));
    for (const [name, value] of Object.entries(exports)) {
      const row = commands.find((command) => command === value);
      if (row) found.set(row.name, { file, name });
    }
  }
  const lost = commands.filter(({ name }) => !found.has(name)).map(({ name }) => name);
  if (lost.length > 0) throw new Error(`No file in ${folder} exports the command ${lost.join(', ')}.`);
  return found;
}
