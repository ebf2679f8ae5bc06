import { expect, test } from 'vitest';
import { findCommand, readCommandLine } from './command-line.ts';
import { commands } from './commands/all.ts';
import { exitCodes } from './exit-codes.ts';
import { helpOf, overview } from './help.ts';

/** The words of a line as a shell would give them, up to a pipe or a redirection. */
const wordsOf = (line: string): string[] =>
  (line.split(/ [|<>] /)[0]?.match(/(?:'[^']*'|[^\s'])+/g) ?? []).slice(1).map((word) => word.replaceAll("'", ''));

test.each(commands.map((row) => [row.name, row] as const))('%s has examples that its own parser takes', (name, row) => {
  expect(row.examples.length).toBeGreaterThan(0);
  for (const [line] of row.examples) {
    const { command, rest } = findCommand(wordsOf(line), commands);
    expect(command.name).toBe(name);
    readCommandLine(command, rest);
    expect(helpOf(row)).toContain(line);
  }
});

test('help names every command, every exit code once, and the permissions from the contract', () => {
  const text = overview(commands);
  for (const { name } of commands) expect(text).toContain(`  ${name} `);
  const codes = Object.values(exitCodes).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  const release = commands.find(({ name }) => name === 'instances release');
  expect(release && helpOf(release)).toContain('instances:write');
});

test('a summary fits a line, and no name stands twice', () => {
  for (const { name, summary } of commands) {
    expect(summary.length, name).toBeLessThanOrEqual(80);
    expect(summary, name).not.toMatch(/[!.]$/);
  }
  expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length);
});
