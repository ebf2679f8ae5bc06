import { expect, test } from 'vitest';
import { commands } from '../commands/all.ts';
import { findCommand, readCommandLine } from './command-line.ts';

const read = (...argv: string[]) => {
  const { command, rest } = findCommand(argv, commands);
  const { args, options, rest: after } = readCommandLine(command, rest);
  return { name: command.name, args, options, after };
};

test('arguments and options are accepted in any order', () => {
  const line = read('deploy', '--set', 'A=b=c', 'reader', '--wait', '--set=B=-1');
  expect(line).toMatchObject({ name: 'deploy', args: { species: 'reader' } });
  expect(line.options).toMatchObject({ set: ['A=b=c', 'B=-1'], wait: true, yes: false, server: undefined });
});

test('global options may precede the command', () => {
  expect(read('--json', '--context', 'work', 'instances', 'show', 'x')).toMatchObject({
    name: 'instances show',
    options: { json: true, context: 'work' },
  });
});

test('words after -- belong to the program that the command runs', () => {
  expect(read('shell', 'blog', '--component', 'db', '--', 'psql', '--json', '--', '-h')).toMatchObject({
    args: { instance: 'blog' },
    options: { component: 'db', json: false, help: false },
    after: ['psql', '--json', '--', '-h'],
  });
  expect(() => read('logs', 'blog', '--', 'x')).toThrow('does not take the argument "x"');
});

test('a group alone runs its list, and a word can be both command and group', () => {
  expect(read('instances').name).toBe('instances list');
  expect(read('servers', '--json').name).toBe('servers list');
  expect(read('notifications', 'rules').name).toBe('notifications rules list');
  expect(read('notifications', 'rules', 'remove', 'x')).toMatchObject({
    name: 'notifications rules remove',
    args: { rule: 'x' },
  });
  expect(read('config').name).toBe('config');
  expect(read('config', 'use', 'work')).toMatchObject({ name: 'config use', args: { context: 'work' } });
});

test.each([
  [['frob'], 'Unknown command: frob.'],
  [['instances', 'frob'], 'Unknown command: instances frob.'],
  [['notifications', 'frob'], 'Unknown command: notifications frob.'],
  [['notifications', 'rules', 'frob'], 'Unknown command: notifications rules frob.'],
  [['notifications'], 'notifications needs a subcommand.'],
  [['instances', 'show'], 'instances show needs an instance.'],
  [['logs', 'a', 'b'], 'logs does not take the argument "b".'],
  [['deploy', 'x', '--frob'], "Unknown option '--frob'."],
  [['deploy', 'x', '--server'], "Option '--server <value>' argument missing."],
])('%j is refused with a message', (argv, message) => {
  expect(() => read(...argv)).toThrow(expect.objectContaining({ exit: 'usage', message }));
});
