import type { Template } from '@hortus/contract/template/schema';
import { expect, it } from 'vitest';
import { canonical } from '../canonical/canonical.ts';
import { parse } from '../source/parse.ts';
import { SEED } from '../testing/inkwell.ts';
import { resolve } from './resolve.ts';

const instance = { uid: 'seed', name: 'Seed', server_id: 'srv_1' };
const problems = (lines: string, overrides: object, component = 'main') => {
  const spec = canonical(parse(`${SEED}${lines}`).value as Template);
  const resolution = resolve(spec, { inputs: {}, secrets: {}, instance, overrides: { [component]: overrides } });
  return resolution.ok ? [] : resolution.problems.map(({ field }) => field);
};
const PORT = 'ports: [{container_port: 53, host_port: 53}]\npermissions: [{kind: host_port, reason: names}]\n';

it.each([
  ['', { replicas: 3 }, []],
  [PORT, { replicas: 3 }, ['overrides.main.replicas']],
  ['', { on_node_loss: 'restore' }, ['overrides.main.on_node_loss', 'overrides.main.on_node_loss']],
  ['', { on_node_loss: 'wait' }, []],
])('overrides obey the rules of templates: %j with %j', (lines, overrides, fields) => {
  expect(problems(lines, overrides)).toEqual(fields);
});

it('a job runs once, wherever it is', () => {
  const lines = 'components:\n  main: {}\n  task: {kind: job, command: [x]}\n';
  expect(problems(lines, { replicas: 2 }, 'task')).toEqual(['overrides.task.replicas']);
  expect(problems(lines, { on_node_loss: 'wait' }, 'task')).toEqual(['overrides.task.on_node_loss']);
  expect(problems(lines, { placement: { constraints: { disk: 'ssd' } } }, 'task')).toEqual([]);
});

it('an override of a component that does not exist is refused by name', () => {
  const spec = canonical(parse(SEED).value as Template);
  const resolution = resolve(spec, { inputs: {}, secrets: {}, instance, overrides: { mian: { replicas: 2 } } });
  expect(resolution).toMatchObject({ ok: false, problems: [{ field: 'overrides.mian' }] });
});
