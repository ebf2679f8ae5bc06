import { expect, test } from 'vitest';
import { jsonLines } from './json-lines.ts';
import { wantedEvents } from './wanted-events.ts';

const event = (action: string, id: string, labels: Record<string, string> = {}) =>
  `${JSON.stringify({ status: action, id, from: 'a', Type: 'container', Action: action, Actor: { ID: id, Attributes: labels } })}\n`;
const long = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`label-${i}`, 'x'.repeat(80)]));

async function idsOf(lines: readonly string[], now: () => number): Promise<string[]> {
  async function* source() {
    for (const line of lines) yield Buffer.from(line);
  }
  const ids: string[] = [];
  for await (const { Actor } of jsonLines<{ Actor: { ID: string } }>(source(), wantedEvents(now))) ids.push(Actor.ID);
  return ids;
}

test('execs are left out unparsed, in the forms of all versions of the API', async () => {
  const unparsable = ['{"status":"exec_create: true"\n', '{"Type":"container","Action":"exec_die"\n'];
  expect(await idsOf([event('start', 'a'), ...unparsable, event('die', 'b')], () => 0)).toEqual(['a', 'b']);
});

test('a label cannot make an event look like that of an exec', async () => {
  expect(await idsOf([event('die', 'a', { Action: 'exec_die', status: 'exec_die' })], () => 0)).toEqual(['a']);
});

test('events of a container with huge labels are limited per second, and others are all handled', async () => {
  const storm = Array.from({ length: 100 }, () => event('oom', 'huge', long));
  const others = Array.from({ length: 100 }, () => event('die', 'other'));
  const ids = await idsOf([...storm, ...others], () => 0);
  expect(Map.groupBy(ids, (id) => id).get('huge')).toHaveLength(20);
  expect(Map.groupBy(ids, (id) => id).get('other')).toHaveLength(100);
  let now = 0;
  expect(await idsOf(storm, () => (now += 100))).toHaveLength(100);
});
