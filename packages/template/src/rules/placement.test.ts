import type { Template } from '@hortus/contract/template/schema';
import { expect, it } from 'vitest';
import { canonical } from '../canonical/canonical.ts';
import { resolve } from '../resolution/resolve.ts';
import { parse } from '../source/parse.ts';
import { SEED } from '../testing/inkwell.ts';
import { marked } from '../testing/marked.ts';
import { validate } from '../validate.ts';

const VOLUME = 'storage: [{name: data, mount_path: /data}]\n';
const BACKUP = 'backup: {strategy: volume, volumes: [{name: data}]}\n';
const read = (text: string) => canonical(parse(text).value as Template);
const errors = (text: string) => validate(text).findings.filter(({ severity }) => severity === 'error');

it('placement and what happens when a node is lost reach the manifest', () => {
  const text = `${SEED}${VOLUME}${BACKUP}placement: {constraints: {disk: ssd}, spread: zone}\non_node_loss: restore\n`;
  expect(errors(text)).toEqual([]);
  const instance = { uid: 'seed', name: 'Seed', server_id: 'srv_1' };
  const resolution = resolve(read(text), { inputs: {}, secrets: {}, instance });
  expect(resolution.ok && resolution.manifest.components[0]).toMatchObject({
    placement: { constraints: { disk: 'ssd' }, spread: 'zone' },
    on_node_loss: 'restore',
  });
});

it('a template without them keeps its canonical form, and so its hash', () => {
  const [main] = Object.values(read(SEED).components);
  expect(Object.keys(main ?? {})).not.toContain('placement');
  expect(Object.keys(main ?? {})).not.toContain('on_node_loss');
});

it.each([
  ['no-volume', `${SEED}on_node_loss: ▸restore\n`],
  ['no-backup', `${SEED}${VOLUME}backup: {strategy: none}\non_node_loss: ▸restore\n`],
  ['misplaced', `${SEED}components:\n  main: {}\n  task: {kind: job, command: [x], on_node_loss: ▸wait}\n`],
])('is refused: %s', (code, lines) => {
  const { text, at } = marked(lines);
  expect(errors(text)).toContainEqual(expect.objectContaining({ ...at, code }));
});

it.each([
  'placement: {constraints: {"disk==ssd || node.role": manager}}',
  'placement: {constraints: {disk: "ssd && true"}}',
  'placement: {spread: "a b"}',
  'placement: {zone: a}',
  'on_node_loss: forget',
])('refuses values that an engine could read as an expression, and unknown ones: %s', (line) => {
  expect(errors(`${SEED}${line}\n`)).not.toEqual([]);
});
