import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { machines } from './all.ts';
import { definitionMachine } from './definition.ts';
import { diagram, statesPage } from './diagram.ts';

test('docs/states.md matches the tables of the state machines', () => {
  const page = readFileSync(new URL('../../../../docs/states.md', import.meta.url), 'utf8');
  expect(page, 'run: node packages/contract/src/machines/print-states.ts > docs/states.md').toBe(statesPage(machines));
});

test('a diagram draws entry, guards, loops and ends', () => {
  expect(diagram(definitionMachine).split('\n')).toEqual([
    'stateDiagram-v2',
    '  [*] --> pending: create',
    '  pending --> pending: revise',
    '  active --> active: revise, succeed',
    '  archived --> archived: revise',
    '  pending --> active: succeed',
    '  pending --> archived: archive',
    '  active --> archived: archive',
    '  archived --> active: activate [succeeded before]',
    '  archived --> pending: activate',
  ]);
});
