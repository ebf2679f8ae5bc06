import { expect, test } from 'vitest';
import { table } from '../commands/table.ts';
import { candidatesOf } from './candidates.ts';

const names: Record<string, string[]> = {
  instance: ['feeds', 'orders'],
  server: ['web-1', 'web-2'],
  context: ['work'],
  species: ['reader'],
  garden: ['home', 'office'],
};
/** Completes a line whose last word is unfinished. */
const complete = async (line: string) => {
  const named = async (kind: string) => (names[kind] ?? []).map((word) => ({ word }));
  return (await candidatesOf(table, line.split(' '), named)).map(({ word }) => word);
};

test('commands are completed word by word', async () => {
  expect(await complete('inst')).toEqual(['instances']);
  expect(await complete('')).toContain('deploy');
  expect(await complete('instances sh')).toEqual(['show']);
  expect(await complete('notifications rules ')).toContain('pause');
  expect(await complete('help notifications ru')).toEqual(['rules']);
  expect(await complete('frob ')).toEqual([]);
});

test('arguments and option values are completed with names that exist', async () => {
  expect(await complete('instances show ')).toEqual(['feeds', 'orders']);
  expect(await complete('--context work instances show fe')).toEqual(['feeds']);
  expect(await complete('--context ')).toEqual(['work']);
  expect(await complete('deploy --server ')).toEqual(['web-1', 'web-2']);
  expect(await complete('deploy --wait --server web-1 ')).toEqual(['reader']);
  expect(await complete('gardens approve ho')).toEqual(['home']);
  expect(await complete('instances show feeds ')).toEqual([]);
  expect(await complete('template validate ')).toEqual([]);
});

test('a value after = is completed as a whole word, or as its own word where the shell splits there', async () => {
  expect(await complete('deploy --server=web')).toEqual(['--server=web-1', '--server=web-2']);
  expect(await complete('deploy --server = web')).toEqual(['web-1', 'web-2']);
  expect(await complete('deploy --server =')).toEqual(['web-1', 'web-2']);
});

test('options of the command and of every command are completed, used ones only if they are repeatable', async () => {
  const found = await complete('deploy --wait --set A=b --');
  expect(found).toEqual(expect.arrayContaining(['--set', '--server', '--json', '--output']));
  expect(found).not.toContain('--wait');
  expect(await complete('logs -f --gr')).toEqual(['--grep']);
});

test('a name that a shell would interpret is left out', async () => {
  names.instance = ['feeds', 'a$(reboot)', 'b;c', 'd e', "f'g", 'h\ni', '*'];
  expect(await complete('instances show ')).toEqual(['feeds']);
  names.instance = ['feeds', 'orders'];
});
