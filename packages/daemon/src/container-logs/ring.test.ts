import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { smallDisk } from '@hortus/testkit/small-disk';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { InstanceLog } from './instance-log.ts';
import { skipStored } from './marks.ts';
import type { CollectedLine, StoredLine } from './stored-line.ts';

const root = temporaryFolder('rings');
afterAll(() => root.remove());

const DAY = 86_400_000;
const newFolder = () => join(root.path, randomBytes(6).toString('hex'));
const seconds = (n: number) => `17${String(n).padStart(8, '0')}.000000000`;
const line = (n: number, more: Partial<CollectedLine> = {}): CollectedLine => ({
  at: seconds(n),
  stream: 'stdout',
  replica: 1,
  container: 'c1',
  level: null,
  text: `line ${n}`,
  cut: false,
  ...more,
});
const open = (folder: string, { maxBytes = 64 * 1024, maxAgeMs = 10_000 * DAY, now = Date.now } = {}) =>
  InstanceLog.open({ folder, limits: () => ({ maxBytes, maxAgeMs }), now });
const all = async (log: InstanceLog, component?: string): Promise<StoredLine[]> => {
  const lines: StoredLine[] = [];
  for (let after = 0; ; after = lines.at(-1)?.position ?? 0) {
    const page = await log.read({ after, limit: 500, component });
    lines.push(...page.lines);
    if (!page.more) return lines;
  }
};
const filesOf = (folder: string) =>
  readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
const sizeOf = (folder: string) => filesOf(folder).reduce((sum, path) => sum + statSync(path).size, 0);

describe('the ring of a component', () => {
  it('keeps order, loses nothing and stores nothing twice, whatever is torn off at a crash', async () => {
    const writes = fc.array(fc.record({ count: fc.integer({ min: 1, max: 40 }), torn: fc.nat({ max: 400 }) }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(writes, async (rounds) => {
        const folder = newFolder();
        // What the engine has of one container; several lines share a time.
        const source = Array.from({ length: rounds.reduce((sum, { count }) => sum + count, 0) }, (_, n) =>
          line(Math.floor(n / 3), { text: `line ${n}`, stream: n % 5 === 0 ? 'stderr' : 'stdout' }),
        );
        let overrides = 0;
        for (const { count, torn } of rounds) {
          overrides += count;
          const log = await open(folder, { maxBytes: 1024 * 1024 });
          const stored = skipStored(await log.marksOf('main', 'c1'));
          await log.append(
            'main',
            source.slice(0, overrides).filter((line) => !stored(line)),
          );
          await log.close();
          // The process ends in the middle of its last write.
          const newest = filesOf(join(folder, 'main')).at(-1) as string;
          truncateSync(newest, Math.max(0, statSync(newest).size - torn));
        }
        const log = await open(folder, { maxBytes: 1024 * 1024 });
        const stored = skipStored(await log.marksOf('main', 'c1'));
        await log.append(
          'main',
          source.filter((line) => !stored(line)),
        );
        const lines = await all(log);
        await log.close();
        const expected = (stream: string) => source.filter((line) => line.stream === stream).map(({ text }) => text);
        for (const stream of ['stdout', 'stderr'])
          expect(lines.filter((line) => line.stream === stream).map(({ text }) => text)).toEqual(expected(stream));
        const positions = lines.map(({ position }) => position);
        expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
      }),
      { numRuns: 40 },
    );
  });

  it('stays within its size and keeps the newest lines without a hole', async () => {
    const folder = newFolder();
    const maxBytes = 32 * 1024;
    const log = await open(folder, { maxBytes });
    for (let n = 0; n < 4_000; n += 20) {
      await log.append(
        'main',
        Array.from({ length: 20 }, (_, i) => line(n + i, { text: `${n + i} ${'x'.repeat(40)}` })),
      );
      expect(sizeOf(join(folder, 'main'))).toBeLessThan(maxBytes + 4_096);
    }
    const numbers = (await all(log)).map(({ text }) => Number.parseInt(text, 10));
    await log.close();
    expect(numbers.at(-1)).toBe(3_999);
    expect(numbers.length).toBeGreaterThan(150);
    expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
  });

  it('resumes a container whose last line was dropped long ago, because each file repeats the marks', async () => {
    const folder = newFolder();
    const log = await open(folder, { maxBytes: 8 * 1024 });
    await log.append('main', [line(1, { container: 'quiet' })]);
    for (let n = 2; n < 500; n++) await log.append('main', [line(n, { container: 'chatty', text: 'x'.repeat(100) })]);
    await log.close();
    const again = await open(folder, { maxBytes: 8 * 1024 });
    expect(await all(again)).not.toContainEqual(expect.objectContaining({ container: 'quiet' }));
    expect(await again.marksOf('main', 'quiet')).toEqual({ stdout: [seconds(1), 1] });
    await again.close();
  });

  it('survives a crash while a new file was created, and bytes of zero after a power cut', async () => {
    const folder = newFolder();
    let log = await open(folder);
    await log.append('main', [line(1), line(2)]);
    const { end } = log;
    await log.close();
    writeFileSync(join(folder, 'main', `${String(end + 1).padStart(16, '0')}.log`), '{"marks":[["c1"');
    appendFileSync(filesOf(join(folder, 'main'))[0] as string, Buffer.alloc(50));
    log = await open(folder);
    await log.append('main', [line(3)]);
    expect((await all(log)).map(({ text }) => text)).toEqual(['line 1', 'line 2', 'line 3']);
    await log.close();
  });

  if (process.getuid?.() === 0)
    it('keeps no part of the lines that a full disk refused, and goes on when there is room', async () => {
      const folder = newFolder();
      using disk = smallDisk(folder, 1);
      const log = await open(folder);
      await log.append('main', [line(1)]);
      disk.fill();
      // Leaves room for a part of the next lines.
      truncateSync(join(folder, 'ballast'), statSync(join(folder, 'ballast')).size - 20_000);
      const refused = Array.from({ length: 40 }, (_, n) => line(2 + n, { text: 'x'.repeat(1_000) }));
      await expect(log.append('main', refused)).rejects.toThrow('ENOSPC');
      disk.makeRoom();
      await log.append('main', [line(50)]);
      expect((await all(log)).map(({ text }) => text)).toEqual(['line 1', 'line 50']);
      await log.close();
      const again = await open(folder);
      expect((await all(again)).map(({ text }) => text)).toEqual(['line 1', 'line 50']);
      await again.close();
    });

  it('drops lines by age and its folder with the last of them', async () => {
    const folder = newFolder();
    let now = Date.now();
    const log = await open(folder, { maxAgeMs: 7 * DAY, now: () => now });
    const at = (ms: number) => ({ at: `${(ms / 1_000).toFixed(3)}000000` });
    await log.append('main', [line(1, at(now - 8 * DAY)), line(2, at(now - 6 * DAY))]);
    expect((await all(log)).map(({ text }) => text)).toEqual(['line 2']);
    now += 8 * DAY;
    expect(await log.tidy()).toBe(true);
    expect(existsSync(folder)).toBe(false);
    await log.close();
  });

  it('can be read by its owner only', async () => {
    const folder = newFolder();
    const log = await open(folder);
    await log.append('main', [line(1)]);
    await log.close();
    for (const path of filesOf(join(folder, 'main'))) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'main')).mode & 0o777).toBe(0o700);
  });
});

describe('the log of an instance', () => {
  it('merges components in the order of arrival and pages both ways without a gap or a double', async () => {
    const log = await open(newFolder(), { maxBytes: 16 * 1024 * 1024 });
    for (let n = 0; n < 300; n++)
      await log.append(n % 3 === 0 ? 'db' : 'app', [line(n, n % 10 === 0 ? { level: 'error' } : {})]);
    const forward = (await all(log)).map(({ text }) => text);
    expect(forward).toEqual(Array.from({ length: 300 }, (_, n) => `line ${n}`));
    const backward: string[] = [];
    for (let before: number | undefined; ; ) {
      const page: Awaited<ReturnType<typeof log.read>> = await log.read({ before, limit: 70 });
      backward.unshift(...page.lines.map(({ text }) => text));
      before = page.lines[0]?.position;
      if (!page.more) break;
    }
    expect(backward).toEqual(forward);
    const texts = async (query: Parameters<typeof log.read>[0]) =>
      (await log.read(query)).lines.map(({ text }) => text);
    expect(await texts({ component: 'db', limit: 2 })).toEqual(['line 294', 'line 297']);
    expect(await texts({ q: 'LINE 29', limit: 3 })).toEqual(['line 297', 'line 298', 'line 299']);
    expect(await texts({ level: 'warn', limit: 2 })).toEqual(['line 280', 'line 290']);
    const ms = (n: number) => Number(seconds(n)) * 1_000;
    expect(await texts({ since: ms(100), until: ms(102), limit: 9 })).toEqual(['line 100', 'line 101', 'line 102']);
    await log.close();
  });

  it('tells a reader that it overtakes how many lines were dropped, also after a restart', async () => {
    const step = fc.oneof(
      fc.record({ write: fc.constantFrom('app', 'db'), lines: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ read: fc.integer({ min: 1, max: 50 }) }),
      fc.constant('restart' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        const folder = newFolder();
        const limits = { maxBytes: 8 * 1024 };
        let log = await open(folder, limits);
        await log.append('app', [line(0)]);
        const begin = log.end;
        let [position, received, dropped, written] = [begin, 0, 0, 0];
        const read = async (limit: number) => {
          const page = await log.read({ after: position, limit });
          received += page.lines.length;
          dropped += page.dropped;
          position = page.more ? (page.lines.at(-1)?.position ?? 0) : page.end;
        };
        for (const step of steps) {
          if (step === 'restart') {
            await log.close();
            log = await open(folder, limits);
          } else if ('read' in step) await read(step.read);
          else {
            const texts = Array.from({ length: step.lines }, () => line(++written, { text: 'x'.repeat(80) }));
            await log.append(step.write, texts);
          }
        }
        while (position < log.end) await read(500);
        await log.close();
        expect(received + dropped).toBe(written);
      }),
      { numRuns: 60 },
    );
  });

  it('reports no dropped lines for a component that lost none, nor to a reader of the oldest lines', async () => {
    const log = await open(newFolder(), { maxBytes: 8 * 1024 });
    await log.append('app', [line(0)]);
    const after = log.end;
    for (let n = 1; n < 300; n++) await log.append('app', [line(n, { text: 'x'.repeat(100) })]);
    await log.append('db', [line(300)]);
    expect(await log.read({ after, limit: 500, component: 'db' })).toMatchObject({ dropped: 0, more: false });
    expect(await log.read({ after: 0, limit: 500 })).toMatchObject({ dropped: 0 });
    const { lines, dropped } = await log.read({ after, limit: 500, component: 'app' });
    expect(lines.length).toBeLessThan(299);
    expect(lines.length + dropped).toBeGreaterThanOrEqual(299);
    await log.close();
  });

  it('passes every line after the named position to a follower', async () => {
    const log = await open(newFolder());
    await log.append('app', [line(1)]);
    const received: StoredLine[] = [];
    const { from, stop } = log.follow('app', (lines) => received.push(...lines));
    await Promise.all([log.append('app', [line(2)]), log.append('db', [line(3)]), log.append('app', [line(4)])]);
    stop();
    await log.append('app', [line(5)]);
    expect(from).toBeLessThan(received[0]?.position ?? 0);
    expect(received.map(({ text }) => text)).toEqual(['line 2', 'line 4']);
    await log.close();
  });
});
