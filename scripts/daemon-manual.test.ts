import { execFileSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { commandOptions, commands, examples, exitCodes, helpText } from '@hortus/daemon/options/help';
import { runOptions, secretSettings } from '@hortus/daemon/options/run-options';
import { expect, test } from 'vitest';
import { daemonManual } from './daemon-manual.ts';

const mandoc = (...argv: string[]) => execFileSync('mandoc', argv, { input: daemonManual(), encoding: 'utf8' });

test('hortusd(8) has no warning of mandoc', () => {
  expect(mandoc('-T', 'lint', '-W', 'warning')).toBe('');
});

test('hortusd(8) and hortusd --help show every command, option, secret, exit code and example', () => {
  const shown = stripVTControlCharacters(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: bold letters are struck twice
    mandoc('-T', 'utf8', '-O', 'width=400').replace(/.\u0008/gu, ''),
  );
  const names = Object.keys({ ...runOptions, ...commandOptions.install, ...commandOptions.doctor });
  const expected = [
    ...Object.keys(commands).map((name) => `hortusd ${name}`),
    ...names.map((name) => `--${name}`),
    ...Object.keys(secretSettings),
    ...Object.values(exitCodes),
    ...examples,
  ];
  for (const words of expected) {
    expect(shown).toContain(words);
    expect(helpText()).toContain(words);
  }
});
