import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { componentUsage, recordId, server, serverReading } from '../testing/records.ts';
import { scriptedTerminal } from '../testing/scripted-terminal.ts';
import { frame, tables } from './frame.ts';
import { instanceRows, type Watched } from './rows.ts';

const terminal = scriptedTerminal([]);

const instance = (name: string, ...components: Parameters<typeof componentUsage>[0][]) => ({
  instance_id: recordId('ins', 1),
  instance_uid: name,
  name,
  components: components.map(componentUsage),
});

const watching = (...instances: ReturnType<typeof instance>[]): Watched => ({
  server: server(),
  reading: serverReading({ instances }),
  delay: undefined,
});

const names = (watched: Watched[], sort: Parameters<typeof instanceRows>[1]) =>
  instanceRows(watched, sort).map(({ name }) => name);

test('instances are sorted by the total of their components, the largest first', () => {
  const watched = [
    watching(
      instance('one', { cpu_percent: 40 }, { component: 'db', cpu_percent: 30, memory_bytes: 5 }),
      instance('two', { cpu_percent: 60, memory_bytes: 2 ** 30, written_bytes_per_second: 1 }),
      instance('few', { cpu_percent: 1, received_bytes_per_second: 9, memory_bytes: 1 }),
    ),
  ];
  expect(names(watched, 'cpu')).toEqual(['one', 'two', 'few']);
  expect(names(watched, 'memory')).toEqual(['two', 'one', 'few']);
  expect(names(watched, 'network')).toEqual(['few', 'one', 'two']);
  expect(names(watched, 'disk')).toEqual(['two', 'few', 'one']);
  expect(names(watched, 'name')).toEqual(['few', 'one', 'two']);
});

test('numbers are aligned by their end, and every value has its unit', () => {
  const text = tables(
    terminal,
    [
      watching(
        instance('a', { cpu_percent: 9.5, sent_bytes_per_second: 1_500 }),
        instance('long-name', { cpu_percent: 110 }),
      ),
    ],
    'cpu',
  );
  expect(text.split('\n')).toEqual([
    'Server  Status          CPU           Memory            Disk  Received  Sent',
    'web-1   online  25.0 % of 4  25 % of 4.0 GiB  25 % of 200 GB         –     –',
    '',
    'Instance   Server      CPU   Memory  Received      Sent   Read  Written',
    'long-name  web-1   110.0 %  1.0 MiB     0 B/s     0 B/s  0 B/s    0 B/s',
    'a          web-1     9.5 %  1.0 MiB     0 B/s  1.5 kB/s  0 B/s    0 B/s',
    '',
  ]);
});

test('an offline server is marked, without values that would look current', () => {
  for (const away of [
    { server: server({ status: 'offline' }), delay: undefined },
    { server: server(), delay: 'offline' as const },
  ]) {
    const text = tables(terminal, [{ ...watching(instance('feeds', {})), ...away }], 'cpu');
    expect(text).toMatch(/^web-1 +offline +– +– +– +– +–$/m);
    expect(text).not.toContain('feeds');
    expect(text).toContain('No running instance has reported yet.');
  }
});

test('a frame is never larger than the screen, and says how many rows are left out', () => {
  const live = scriptedTerminal([], { live: true, colour: true });
  const many = watching(...Array.from({ length: 60 }, (_, n) => instance(`instance-with-a-long-name-${n}`, {})));
  for (const height of [1, 2, 3, 5, 10, 24, 100])
    for (const width of [10, 40, 80, 200]) {
      const lines = frame(live, { width, height }, [many, many], 'cpu');
      expect(lines.length).toBeLessThanOrEqual(height);
      for (const line of lines) expect([...stripVTControlCharacters(line)].length).toBeLessThanOrEqual(width);
    }
  expect(frame(live, { width: 100, height: 24 }, [many], 'cpu').at(-1)).toBe('… 43 more');
});

test('a frame says that readings of an old daemon are not live', () => {
  const [title] = frame(terminal, { width: 100, height: 24 }, [{ ...watching(), delay: 'old_daemon' }], 'memory');
  expect(title).toBe('1 server, 0 instances · by memory · 1 not live · s sort, q quit');
});

test('names of instances cannot move the cursor', () => {
  const text = tables(terminal, [watching(instance('bad\u001b[2J\u0007name', {}))], 'cpu');
  expect(text).toContain('badname');
});
