import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { onDifferingEngines } from '../../testing/engines.ts';
import { type FakeLine, type InstanceServices, openInstanceServices } from '../instances/testing/instance-services.ts';
import { isFinal } from './lifecycle.ts';
import type { Actions } from './service.ts';

/** Any event of executions, in any order; numbers pick one of the current executions. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('order' as const), builtIn: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constantFrom('connect' as const, 'take over' as const),
      journal: fc.boolean(),
      replica: fc.nat(1),
    }),
  },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('dispatch' as const), line: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('race' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('break' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('disconnect' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constantFrom('started' as const, 'completed' as const, 'failed' as const, 'cancel' as const),
      which: fc.nat(20),
      replica: fc.nat(1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('pass' as const), seconds: fc.constantFrom(5, 70, 400, 90_000) }),
  },
);
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

interface Connected {
  readonly line: FakeLine;
  readonly by: Actions;
}

/** One server with its daemons, and the invariants of its executions. */
class World {
  readonly #services: InstanceServices;
  readonly #replicas: readonly Actions[];
  readonly #serverId: string;
  readonly #instanceId: string;
  readonly #lines: Connected[] = [];
  readonly #ordered: string[] = [];
  readonly #ended = new Map<string, string>();

  constructor(services: InstanceServices, replicas: readonly Actions[], serverId: string, instanceId: string) {
    this.#services = services;
    this.#replicas = replicas;
    this.#serverId = serverId;
    this.#instanceId = instanceId;
  }

  async happen(happening: Happening): Promise<void> {
    const { clock, cancel, order, execute, disconnect } = this.#services;
    switch (happening.what) {
      case 'order': {
        const id = happening.builtIn
          ? (await order(this.#instanceId, 'hortus.restart')).execution.id
          : (await execute(this.#instanceId)).id;
        if (!this.#ordered.includes(id)) this.#ordered.push(id);
        return;
      }
      case 'connect':
        return this.connect(happening.journal, happening.replica);
      case 'take over': {
        // A daemon reconnects while its old connection is given work.
        const newest = this.#lines.at(-1);
        const work = newest?.by.dispatch(this.#serverId, newest.line);
        await Promise.all([work, this.connect(happening.journal, happening.replica)]);
        return;
      }
      case 'dispatch': {
        // Also over a replaced connection: its replica may not have noticed.
        const old = this.#lines.at(-1 - (happening.line % Math.max(1, this.#lines.length)));
        return this.#dispatch(old ? [old] : []);
      }
      case 'race':
        return this.#dispatch(this.#lines.slice(-2));
      case 'break': {
        const newest = this.#lines.at(-1);
        if (newest) newest.line.open = false;
        return;
      }
      case 'disconnect':
        return disconnect(this.#serverId);
      case 'pass':
        clock.now += happening.seconds * 1_000;
        return this.deadlines();
      case 'cancel': {
        const id = this.#pick(this.#ordered, happening.which);
        if (id !== undefined) await cancel(id).catch(refusalOnly);
        return;
      }
      default:
        return this.#receive(happening.what, this.#pick(this.#handedOver(), happening.which), happening.replica);
    }
  }

  async connect(journal: boolean, replica: number): Promise<void> {
    const capabilities = journal ? ['journal', 'builtin', 'cancel'] : ['builtin'];
    const line = await this.#services.connect(capabilities, this.#serverId);
    this.#lines.push({ line, by: this.#replicas[replica % this.#replicas.length] as Actions });
  }

  async deadlines(): Promise<void> {
    const job = this.#services.actions.deadlineJob();
    for (const id of this.#ordered) {
      const run = { id: 'job', kind: '', key: id, payload: null, attempts: 1 };
      await job.run({ job: run, signal: new AbortController().signal, complete: async () => 'settled' });
    }
  }

  async check(): Promise<void> {
    for (const id of this.#ordered) {
      const { status } = await this.#services.execution(id);
      const before = this.#ended.get(id);
      if (before !== undefined) expect(status, 'a final state has changed').toBe(before);
      if (isFinal(status)) this.#ended.set(id, status);
    }
    const handed = this.#lines.flatMap(({ line }) =>
      line.requested.map((id) => ({ id, journal: line.capabilities.has('journal'), line })),
    );
    for (const id of this.#ordered) {
      const times = handed.filter((item) => item.id === id);
      expect(new Set(times.map(({ line }) => line)).size, 'twice over one line').toBe(times.length);
      // A daemon without a journal may be the first to get it, never a later one.
      expect(
        times.slice(1).every(({ journal }) => journal),
        'again to a daemon without a journal',
      ).toBe(true);
    }
  }

  /** Connects a daemon with a journal that answers everything; the rest expires. */
  async settle(): Promise<void> {
    await this.connect(true, 0);
    const { line, by } = this.#lines.at(-1) as Connected;
    for (let responded = 0; ; ) {
      await by.dispatch(this.#serverId, line);
      const fresh = line.requested.slice(responded);
      if (fresh.length === 0) break;
      for (const id of fresh) await this.#receive('completed', id, 1);
      responded += fresh.length;
    }
    for (const id of line.requested) expect(isFinal((await this.#services.execution(id)).status)).toBe(true);
    this.#services.clock.now += 600_000;
    await this.deadlines();
    await this.check();
    expect(this.#ended.size).toBe(this.#ordered.length);
    for (const id of this.#ordered) {
      const reported = (await this.#services.events(id)).map(({ type }) => type);
      expect(reported).toEqual(eventsOf[this.#ended.get(id) ?? '']);
    }
  }

  async #dispatch(over: readonly Connected[]): Promise<void> {
    const newest = this.#lines.at(-1);
    const replaced = this.#lines.filter((line) => line !== newest).map(({ line }) => line);
    const before = replaced.map((line) => line.sent.length);
    await Promise.all(over.map(({ line, by }) => by.dispatch(this.#serverId, line)));
    expect(
      replaced.map((line) => line.sent.length),
      'over a line that was replaced',
    ).toEqual(before);
  }

  async #receive(what: 'started' | 'completed' | 'failed', id: string | undefined, replica: number): Promise<void> {
    if (id === undefined) return;
    const by = this.#replicas[replica % this.#replicas.length] as Actions;
    if (what === 'started') await by.started(this.#serverId, id);
    else await by[what](this.#serverId, { execution_id: id, exit_code: 0 });
  }

  #handedOver(): string[] {
    return [...new Set(this.#lines.flatMap(({ line }) => line.requested))];
  }

  #pick(ids: readonly string[], which: number): string | undefined {
    return ids[which % Math.max(1, ids.length)];
  }
}

const eventsOf: Readonly<Record<string, string[]>> = {
  completed: ['action.completed'],
  failed: ['action.failed'],
  timeout: ['action.failed'],
  cancelled: [],
};

function refusalOnly(error: { code?: string }): void {
  if (error.code !== 'VALIDATION_ERROR') throw error;
}

onDifferingEngines('concurrent transactions', (engine) => {
  let services: InstanceServices;
  let replicas: readonly Actions[];
  beforeAll(async () => {
    services = await openInstanceServices(engine);
    replicas = [services.actions, engine.name === 'postgres' ? (await services.replica()).actions : services.actions];
  });

  it('each execution starts at most once and ends once, whatever the order of events', {
    timeout: 120_000,
  }, async () => {
    const history = fc.array(happening, { minLength: 5, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(history, async (happenings) => {
        const serverId = await services.addServer();
        const { id } = await services.running(serverId);
        const world = new World(services, replicas, serverId, id);
        for (const happening of happenings) {
          await world.happen(happening);
          await world.check();
        }
        await world.settle();
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });
});
