import { expect, test } from 'vitest';
import { findCommand, readCommandLine } from './command-line.ts';
import { commands } from './commands/all.ts';
import { exitCodes } from './exit-codes.ts';
import { helpOf, overview } from './help.ts';

/** Splits a line like a shell, up to a pipe or redirection. */
const wordsOf = (line: string): string[] =>
  (line.split(/ [|<>] /)[0]?.match(/(?:'[^']*'|[^\s'])+/g) ?? []).slice(1).map((word) => word.replaceAll("'", ''));

test.each(commands.map((row) => [row.name, row] as const))('%s has examples that its parser accepts', (name, row) => {
  expect(row.examples.length).toBeGreaterThan(0);
  for (const [line] of row.examples) {
    const { command, rest } = findCommand(wordsOf(line), commands);
    expect(command.name).toBe(name);
    readCommandLine(command, rest);
    expect(helpOf(row)).toContain(line);
  }
});

test('help lists every command, every exit code, and the permissions of the contract', () => {
  const text = overview(commands);
  for (const { name } of commands) expect(text).toContain(`  ${name} `);
  const codes = Object.values(exitCodes).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  const release = commands.find(({ name }) => name === 'instances release');
  expect(release && helpOf(release)).toContain('instances:write');
});

test('summaries fit a line, and names are unique', () => {
  for (const { name, summary } of commands) {
    expect(summary.length, name).toBeLessThanOrEqual(80);
    expect(summary, name).not.toMatch(/[!.]$/);
  }
  expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length);
});
