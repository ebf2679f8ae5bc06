import { maskOf } from '@hortus/template/masking/masking';
import { describe, expect, it, test } from 'vitest';
import { FramedMessages, TerminalMessages } from '../engine/docker/follow-logs.ts';
import type { LogChunk } from '../engine/engine.ts';
import { hostileOutput, hostileUnits, similarSecrets } from '../testing/hostile-output.ts';
import { type CollectedContainer, collect } from './collector.ts';
import { MeasuredTurns } from './measured-turns.ts';
import { CONTAINER_RATE, costOf, OutputBudgets } from './output-budget.ts';
import type { CollectedLine } from './stored-line.ts';

/** What the engine hands over at once. */
const CHUNK = 64 * 1024;
const SIZE = 256 * 1024;

function* chunksOf(output: Buffer): Generator<Buffer> {
  for (let at = 0; at < output.length; at += CHUNK) yield output.subarray(at, at + CHUNK);
}

/** Collects an output as the daemon does, but keeps only the number of stored characters. */
async function collectAll(output: Buffer, isTerminal = false) {
  const messages = isTerminal ? new TerminalMessages() : new FramedMessages();
  async function* followLogs(): AsyncGenerator<LogChunk> {
    for (const chunk of chunksOf(output)) yield { pieces: messages.add(chunk), bytes: chunk.length };
  }
  const lines: number[] = [];
  const costs: number[] = [];
  const container: CollectedContainer = { id: 'c'.repeat(64), uid: 'u', component: 'main', replica: 1 };
  const budget = new OutputBudgets(() => 0).ofContainer();
  const pay = budget.pay.bind(budget);
  // Without the pauses, which are tested below.
  budget.pay = (cost) => {
    costs.push(cost);
    return pay(cost, AbortSignal.abort());
  };
  const log = { warn: () => undefined, debug: () => undefined };
  const instanceLog = {
    marksOf: async () => ({}),
    append: async (_: string, stored: readonly CollectedLine[]) => {
      for (const { text } of stored) lines.push(text.length);
    },
  };
  await collect(
    container,
    {
      engine: { followLogs, inspect: async () => undefined },
      instanceLog: async () => instanceLog,
      mask: (_: CollectedContainer, turns: MeasuredTurns) => maskOf(similarSecrets, turns),
      maxAgeMs: () => 10 ** 9,
      budget,
      turns: { isOver: () => false, next: async () => undefined },
      log,
    } as unknown as Parameters<typeof collect>[1],
    new AbortController().signal,
  );
  return { lines, costs };
}

async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const begin = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
}

describe('what a line costs grows with its length at most in proportion', () => {
  it.each(Object.entries(hostileUnits))('%s', async (_, unit) => {
    const [short, long] = [hostileOutput(unit, SIZE), hostileOutput(unit, 4 * SIZE)];
    for (const isTerminal of [false, true]) {
      await collectAll(short, isTerminal);
      let ratio = Number.POSITIVE_INFINITY;
      // Other work of this process counts too, so the best of several.
      for (let attempt = 0; attempt < 5 && ratio >= 8; attempt++) {
        const atN = Math.max(2, await processorMs(() => collectAll(short, isTerminal)));
        ratio = (await processorMs(() => collectAll(long, isTerminal))) / atN;
      }
      expect(ratio).toBeLessThan(8);
    }
  });

  it.each(Object.entries(hostileUnits))(
    '%s: no stored line is longer than the limit, and all bytes are paid for',
    async (_, unit) => {
      const output = hostileOutput(unit, SIZE);
      const { lines, costs } = await collectAll(output);
      expect(Math.max(0, ...lines)).toBeLessThanOrEqual(16 * 1024);
      expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeGreaterThanOrEqual(output.length);
    },
  );
});

test('a line of 20,000 carriage returns keeps its last letter', async () => {
  const { lines } = await collectAll(hostileUnits['carriage returns before a letter'] ?? Buffer.of());
  expect(lines).toEqual([16 * 1024]);
});

describe('the budget of a container', () => {
  it('is used up by bytes, by lines and by the time that they take', () => {
    expect(costOf({ bytes: 1_000, lines: 0, busyMs: 0 })).toBe(1_000);
    expect(costOf({ bytes: 0, lines: 8_192, busyMs: 0 })).toBe(CONTAINER_RATE.perSecond);
    // A tenth of a core.
    expect(costOf({ bytes: 0, lines: 0, busyMs: 100 })).toBe(CONTAINER_RATE.perSecond);
  });

  it('allows a burst, then a rate, and a pause fills it up', () => {
    let now = 0;
    const budget = new OutputBudgets(() => now).ofContainer();
    const spend = (cost: number) => void budget.pay(cost, AbortSignal.abort());
    spend(CONTAINER_RATE.burst);
    expect(budget.debtMs).toBe(0);
    spend(CONTAINER_RATE.perSecond);
    expect(budget.debtMs).toBe(1_000);
    now = 500;
    expect(budget.debtMs).toBe(500);
    now = 60_000;
    expect(budget.debtMs).toBe(0);
    spend(CONTAINER_RATE.burst);
    expect(budget.debtMs).toBe(0);
  });

  it('of the server is waited for only by containers that write more than their share', () => {
    const budgets = new OutputBudgets(() => 0);
    const spend = (budget: ReturnType<OutputBudgets['ofContainer']>, cost: number) =>
      void budget.pay(cost, AbortSignal.abort());
    const floods = Array.from({ length: 4 }, () => budgets.ofContainer());
    const quiet = budgets.ofContainer();
    for (const flood of floods) spend(flood, CONTAINER_RATE.burst * 0.75);
    spend(quiet, 1_000);
    expect(floods.map(({ debtMs }) => debtMs > 0)).toEqual([true, true, true, true]);
    expect(quiet.debtMs).toBe(0);
  });
});

test('work is measured without the work of others during a pause', async () => {
  let now = 0;
  const turns = new MeasuredTurns(
    {
      isOver: () => true,
      next: async () => {
        now += 1_000;
      },
    },
    () => now,
  );
  await turns.measure(async () => {
    now += 3;
    await turns.next();
    now += 4;
  });
  now += 50;
  expect([turns.takeBusyMs(), turns.takeBusyMs()]).toEqual([7, 0]);
});
