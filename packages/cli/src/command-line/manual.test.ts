import { execFileSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { table } from '../commands/table.ts';
import { exitCodes } from '../exit-codes.ts';
import { usageOf } from './help.ts';
import { manualPage } from './manual.ts';

const page = manualPage(table);
const mandoc = (...argv: string[]) => execFileSync('mandoc', argv, { input: page, encoding: 'utf8' });

test('the manual page has no warning of mandoc', () => {
  expect(mandoc('-T', 'lint', '-W', 'warning')).toBe('');
});

test('the manual page shows every command, option and exit code as the help does', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: bold letters are struck twice
  const shown = stripVTControlCharacters(mandoc('-T', 'utf8', '-O', 'width=400').replace(/.\u0008/gu, ''));
  for (const row of table) {
    expect(shown).toContain(usageOf(row));
    for (const name of Object.keys(row.options)) expect(shown).toContain(`--${name}`);
    for (const [line] of row.examples) expect(shown).toContain(line);
  }
  for (const { meaning } of Object.values(exitCodes)) expect(shown).toContain(meaning);
});

test('text cannot become a request of roff', () => {
  const [row] = table;
  if (row === undefined) throw new Error('The table is empty.');
  const hostile = { ...row, summary: '.so /etc/passwd', about: "'br\n\\fBx\\*[y]" };
  const text = manualPage([hostile]);
  expect(text).not.toMatch(/^[.'](so|br)/m);
  expect(text).toContain('\\efBx\\e*[y]');
});
