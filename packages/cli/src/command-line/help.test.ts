import { expect, test } from 'vitest';
import { table } from '../commands/table.ts';
import { exitCodes } from '../exit-codes.ts';
import { findCommand, readCommandLine } from './command-line.ts';
import { everything, helpOf, overview } from './help.ts';

/** Splits a line like a shell, up to a pipe or redirection. */
const wordsOf = (line: string): string[] =>
  (line.split(/ [|<>] /)[0]?.match(/(?:'[^']*'|[^\s'])+/g) ?? []).slice(1).map((word) => word.replaceAll("'", ''));

test.each(table.map((row) => [row.name, row] as const))('%s has examples that its parser accepts', (name, row) => {
  expect(row.examples.length).toBeGreaterThan(0);
  for (const [line] of row.examples) {
    const { command, rest } = findCommand(wordsOf(line), table);
    expect(command.name).toBe(name);
    readCommandLine(command, rest);
    expect(helpOf(row)).toContain(line);
  }
});

test('the first screen fits 20 lines of 80 characters and names the first word of every command', () => {
  const lines = overview(table).trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(20);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  const words = new Set(lines.join('\n').match(/[\w-]+/g));
  for (const { name } of table) expect(words, name).toContain(name.split(' ')[0]);
});

test('help all lists every command, every exit code, and the permissions of the contract', () => {
  const text = everything(table);
  for (const { name } of table) expect(text).toContain(`  ${name} `);
  const codes = Object.values(exitCodes).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  const release = table.find(({ name }) => name === 'instances release');
  expect(release && helpOf(release)).toContain('instances:write');
});

test('a short form that a command uses itself is not offered for another option', () => {
  const row = table.find(({ name }) => name === 'definitions export');
  expect(row && helpOf(row)).toMatch(/-o, --out <file>[\s\S]*\n {2}--output <format>/);
});

test('summaries fit a line, and names are unique', () => {
  for (const { name, summary } of table) {
    expect(summary.length, name).toBeLessThanOrEqual(80);
    expect(summary, name).not.toMatch(/[!.]$/);
  }
  expect(new Set(table.map(({ name }) => name)).size).toBe(table.length);
});
