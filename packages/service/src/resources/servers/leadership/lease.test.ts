import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { Problem } from '../../../problem.ts';
import { newId } from '../../../records/ids.ts';
import { insertRow } from '../../../storage/status-columns.ts';
import type { Storage } from '../../../storage/storage.ts';
import { onDifferingEngines } from '../../../testing/engines.ts';
import { insertAccount, serverRow } from '../../../testing/rows.ts';
import { grantedMs, requireLeader } from './leader.ts';
import { claimLease, endLease, releaseLease, renewLease } from './store.ts';

const LEASE_MS = 6_000;
const MEMBERS = 3;
/** By how much the clock of one replica is ahead. */
const SKEW_MS = 900;

const member = fc.nat(MEMBERS - 1);
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('connect' as const), member }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('race' as const) }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('renew' as const), member }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('release' as const), member, stale: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('crash' as const), member }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('revoke' as const), member }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('report' as const), member, stale: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 2_000, 5_100, 5_999, 6_000, 20_000),
    }),
  },
);
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

/** The clocks of the replicas: the true time, and by how much that of the replica that acts is ahead. */
interface Clock {
  now: number;
  ahead: number;
}

/** What a member believes: the epoch that it leads in, and until when. */
interface Belief {
  epoch: number;
  until: number;
}

/** One cluster, its members, and what must hold after anything that happens to them. */
class World {
  readonly #storages: readonly Storage[];
  readonly #clock: Clock;
  readonly #serverId: string;
  readonly #members: readonly string[];
  readonly #beliefs = new Map<string, Belief>();
  /** Leaders in the order of their epochs. */
  readonly #history: { readonly member: string; readonly epoch: number }[] = [];

  constructor(storages: readonly Storage[], clock: Clock, serverId: string) {
    this.#storages = storages;
    this.#clock = clock;
    this.#serverId = serverId;
    this.#members = Array.from({ length: MEMBERS }, (_, number) => `${serverId}-${number}`);
  }

  async happen(happening: Happening): Promise<void> {
    if (happening.what === 'pass') this.#clock.now += happening.ms;
    else if (happening.what === 'race') await this.#race();
    else await this.#act(happening.what, happening.member, 'stale' in happening && happening.stale);
    this.#check();
  }

  async #act(
    what: 'connect' | 'renew' | 'release' | 'crash' | 'revoke' | 'report',
    number: number,
    stale: boolean,
  ): Promise<void> {
    const id = this.#members[number] as string;
    const belief = this.#beliefs.get(id);
    const storage = this.#storages[number % this.#storages.length] as Storage;
    this.#clock.ahead = number % 2 === 0 ? 0 : SKEW_MS;
    if (what === 'connect') await this.#claim(storage, id);
    // A crashed member forgets that it led. Its lease runs on.
    else if (what === 'crash') this.#beliefs.delete(id);
    else if (what === 'revoke') await this.#revoke(storage, id);
    else if (what === 'renew' && belief) await this.#renew(storage, id, belief);
    else if (what === 'release' && belief) {
      const epoch = belief.epoch - (stale ? 1 : 0);
      await storage.write((tx) => releaseLease(tx, { serverId: this.#serverId, memberId: id, epoch }));
      // That of an earlier connection changes nothing.
      if (!stale) this.#beliefs.delete(id);
    } else if (what === 'report' && belief) await this.#report(storage, id, belief.epoch - (stale ? 1 : 0));
  }

  /** A revoked leader may still believe that it leads; see `#renew` and `#report`. */
  async #revoke(storage: Storage, id: string): Promise<void> {
    const epoch = await storage.write((tx) => endLease(tx, this.#serverId, id));
    const newest = this.#history.at(-1);
    expect(epoch !== undefined, 'the newest leader is revoked').toBe(newest?.member === id);
    if (epoch !== undefined) this.#history.push({ member: 'none', epoch });
  }

  /** All members claim at the same time, on several replicas: one succeeds at most. */
  async #race(): Promise<void> {
    const before = this.#leading();
    const outcomes = await Promise.all(
      this.#members.map((id, number) => this.#claim(this.#storages[number % this.#storages.length] as Storage, id)),
    );
    const winners = outcomes.filter((epoch) => epoch !== undefined).length;
    // The holder of the lease may claim it again, and then no other can.
    expect(winners, 'members that lead after a race').toBeLessThanOrEqual(1);
    if (!before) expect(this.#history.length).toBeGreaterThan(0);
  }

  async #claim(storage: Storage, id: string): Promise<number | undefined> {
    const { now } = this.#clock;
    const term = await storage.write((tx) => claimLease(tx, this.#serverId, id, LEASE_MS));
    if (term === undefined) return undefined;
    const { epoch, since } = term;
    const other = this.#history.findLast(({ member }) => member !== id)?.epoch ?? 0;
    expect(since, 'the first epoch since another member led').toBe(
      this.#history.find((item) => item.member === id && item.epoch > other)?.epoch ?? epoch,
    );
    for (const [other, { until }] of this.#beliefs) {
      if (other !== id) expect(until, 'the lease of another member has ended').toBeLessThanOrEqual(now);
    }
    this.#history.push({ member: id, epoch });
    this.#beliefs.set(id, { epoch, until: now + grantedMs(LEASE_MS) });
    return epoch;
  }

  async #renew(storage: Storage, id: string, belief: Belief): Promise<void> {
    const leader = { serverId: this.#serverId, memberId: id, epoch: belief.epoch };
    const renewed = await storage.write((tx) => renewLease(tx, leader, LEASE_MS));
    expect(renewed !== undefined, 'a renewal succeeds in the newest epoch only').toBe(
      belief.epoch === this.#history.at(-1)?.epoch,
    );
    if (renewed) this.#beliefs.set(id, { ...belief, until: this.#clock.now + grantedMs(LEASE_MS) });
    else this.#beliefs.delete(id);
  }

  async #report(storage: Storage, id: string, epoch: number): Promise<void> {
    const newest = this.#history.at(-1);
    const accepted = (named: string | undefined) =>
      storage
        .write((tx) => requireLeader(tx, { serverId: this.#serverId, memberId: id }, named))
        .then(
          () => true,
          (error: unknown) => {
            expect(error).toBeInstanceOf(Problem);
            return false;
          },
        );
    expect(await accepted(String(epoch)), 'only reports of the newest epoch are accepted').toBe(
      newest?.member === id && newest.epoch === epoch,
    );
    expect(await accepted(undefined), 'only reports of the newest leader are accepted').toBe(newest?.member === id);
  }

  #leading(): string | undefined {
    return [...this.#beliefs].find(([, { until }]) => until > this.#clock.now)?.[0];
  }

  #check(): void {
    const leading = [...this.#beliefs].filter(([, { until }]) => until > this.#clock.now);
    expect(leading.length, 'members that believe to lead').toBeLessThanOrEqual(1);
    const epochs = this.#history.map(({ epoch }) => epoch);
    expect(epochs, 'epochs grow by one').toEqual(epochs.map((_, index) => index + 1));
  }
}

onDifferingEngines('leases of replicas', (engine) => {
  const clock = { now: 1_700_000_000_000, ahead: 0 };
  let storages: readonly Storage[];
  let accountId: string;
  beforeAll(async () => {
    const database = await engine.testDatabase();
    const open = () => database.open({ clock: () => clock.now + clock.ahead });
    storages = engine.name === 'postgres' ? [await open(), await open()] : [await open()];
    accountId = await insertAccount(storages[0] as Storage);
  });

  it('at most one member of a cluster leads, in growing epochs, whatever happens', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 5, maxLength: 40 }), async (happenings) => {
        const serverId = newId('server');
        await storages[0]?.write((tx) =>
          insertRow(tx, 'servers', { ...serverRow(tx, { accountId, serverId }), kind: 'cluster', status: 'pending' }),
        );
        const world = new World(storages, clock, serverId);
        for (const happening of happenings) await world.happen(happening);
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });
});
