import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scriptedTerminal } from '../testing/scripted-terminal.ts';
import { safeLine, safeText } from './safe-text.ts';
import { status } from './status.ts';
import { table } from './table.ts';

const rows = [
  { name: 'feeds', status: 'running', note: 'short' },
  { name: 'orders-db', status: 'failed', note: 'a long note that does not fit into the terminal any more' },
];
const draw = (overrides: Parameters<typeof scriptedTerminal>[1]) => {
  const terminal = scriptedTerminal([], overrides);
  return table<(typeof rows)[number]>(
    terminal,
    [
      { title: 'Name', text: ({ name }) => name },
      { title: 'Status', painted: (row) => status(terminal, row.status) },
      { title: 'Note', text: ({ note }) => note },
    ],
    rows,
  );
};

test('a pipe gets aligned, uncut text without colour', () => {
  expect(draw({ width: Number.POSITIVE_INFINITY })).toBe(
    [
      'Name       Status   Note',
      'feeds      running  short',
      'orders-db  failed   a long note that does not fit into the terminal any more',
      '',
    ].join('\n'),
  );
});

test('a terminal gets aligned shapes and colour, and no row wraps', () => {
  const drawn = draw({ live: true, colour: true, width: 50 });
  expect(drawn).toContain('\u001b[32m●\u001b[0m running');
  const lines = stripVTControlCharacters(drawn).trimEnd().split('\n');
  expect(lines).toEqual([
    'Name       Status     Note',
    'feeds      ● running  short',
    'orders-db  ◆ failed   a long note that does not f…',
  ]);
  expect(draw({ live: true, width: 50 })).not.toContain('\u001b');
});

test('untrusted text cannot control the terminal', () => {
  const attack = 'a\u001b[2J\u001b]0;owned\u0007b\u009b31mc\u202ed\re\u001bPq\u001b\\';
  expect(safeText(attack)).not.toMatch(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/u);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(safeText(text)).not.toMatch(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/u);
      expect(safeLine(text)).not.toMatch(/[\n\t]/);
    }),
  );
});

test('plain text is unchanged', () => {
  const text = 'Größe: 5 µs\n\tok — 日本語 $ # \' " \\';
  expect(safeText(text)).toBe(text);
});
