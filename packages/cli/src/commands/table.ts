import { endpoints } from '@hortus/contract/endpoints';
import type { Command, ListedCommand } from '../command-line/command.ts';
import { sections } from './all.ts';

const permissionsOf = ({ calls }: Command): string[] => [
  ...new Set(calls.map((name) => endpoints[name].permission).filter((p) => p !== 'public' && p !== 'session')),
];

/** The table from the source, with all code loaded. The bundle contains it as data (scripts/cli/static-table.ts). */
export const table: readonly ListedCommand[] = Object.entries(sections).flatMap(([section, rows]) =>
  rows.map((row) => {
    const { run: _run, ...data } = row;
    return { ...data, section, permissions: permissionsOf(row), load: async () => row };
  }),
);
