import { AsyncLocalStorage } from 'node:async_hooks';
import { type IncomingMessage, Server } from 'node:http';
import { StatementSync } from 'node:sqlite';
import { endpointRows } from '@hortus/contract/endpoints';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { onEngine } from '../testing/engines.ts';
import { goodRequest } from '../testing/good-requests.ts';
import { type RunningService, startApp } from '../testing/running-service.ts';

/** Need a connected daemon. */
const unusual: readonly string[] = ['logs.instance', 'shells.recording'];
const reads = endpointRows.filter(([name, row]) => row.method === 'GET' && !row.file && !unusual.includes(name));

/** Scans that read no more rows than the answer has. */
const allowed = [
  // The list of all accounts, for admins, in the order of its index.
  /^SCAN accounts USING/,
  // A result that the statement itself made.
  /^SCAN (CONSTANT ROW|\(.*\)|some|bound)$/,
  // Values that the statement was given.
  /^SCAN json_each /,
];

onEngine('sqlite', (engine) => {
  let service: RunningService;
  /** Texts with the latest values: SQLite plans for values too. */
  let statements = new Map<string, readonly unknown[]>();
  /** Set in reads: a write also starts background work. */
  const request = new AsyncLocalStorage<true>();
  const { emit } = Server.prototype;
  const { all } = StatementSync.prototype;

  beforeAll(async () => {
    vi.spyOn(Server.prototype, 'emit').mockImplementation(function (this: Server, ...args: unknown[]) {
      const emitted = () => (emit as (...overrides: unknown[]) => boolean).apply(this, args);
      const [event, incoming] = args as [string, IncomingMessage];
      return event === 'request' && incoming.method === 'GET' ? request.run(true, emitted) : emitted();
    });
    vi.spyOn(StatementSync.prototype, 'all').mockImplementation(function (this: StatementSync, ...values) {
      if (request.getStore()) statements.set(this.sourceSQL, values);
      return all.apply(this, values as never);
    } as typeof all);
    service = await startApp(engine);
  });
  afterAll(() => vi.restoreAllMocks());

  it.each(reads)('%s reads no whole table', async (name, { permission }) => {
    const caller = permission === 'admin' ? service : await service.addAccount();
    const { path, options } = await goodRequest(name, caller);
    statements = new Map();
    const { status } = await caller.request('GET', path, options);
    expect(status).toBe(200);
    for (const [text, values] of statements) expect(await scansOf(text, values), text).toEqual([]);
  });

  async function scansOf(text: string, values: readonly unknown[]): Promise<string[]> {
    const { rows } = await service.database.run(`explain query plan ${text}`, values);
    const steps = (rows as { detail: string }[]).map(({ detail }) => detail);
    return steps.filter((step) => step.startsWith('SCAN') && !allowed.some((known) => known.test(step)));
  }
});
