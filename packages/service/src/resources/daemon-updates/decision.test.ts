import { daemonUpdateMachine, updateTargetMachine } from '@hortus/contract/machines/daemon-update';
import { type StateOf, step } from '@hortus/contract/machines/machine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AT_ONCE, decide, isActive, isFailure, SILENCE_MS, type TargetFacts, type UpdateFacts } from './decision.ts';
import { areGrowing, stageAt, stageSizes } from './stages.ts';

type TargetStatus = StateOf<typeof updateTargetMachine>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What may happen to an update between two decisions, by the number of a target. */
const happening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constantFrom('finish', 'return', 'refuse'), at: fc.nat(30) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constantFrom('download', 'verify', 'try'), at: fc.nat(30) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constantFrom('connect', 'disconnect'), at: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('remove', 'continue', 'cancel'), at: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('wait'), at: fc.nat(90) }) },
);

/** Carries out decisions as the job does, and checks after each that no rule is broken. */
class Simulation {
  now = 0;
  readonly update: Mutable<UpdateFacts>;
  readonly targets: Mutable<TargetFacts>[];

  constructor(sizes: readonly number[], maxFailed: number, online: readonly boolean[]) {
    this.update = { status: 'running', stage: 1, maxFailed, stageBegunAt: 0, offlineMs: 60 * 60_000 };
    const total = sizes.reduce((sum, size) => sum + size, 0);
    this.targets = Array.from({ length: total }, (_, place) => ({
      ...{ id: String(place), stage: stageAt(sizes, place), status: 'queued' as const, accepted: false, receivedAt: 0 },
      server: online[place % Math.max(1, online.length)] ? ('connected' as const) : ('offline' as const),
    }));
  }

  get failed() {
    return this.targets.filter(({ status, accepted }) => isFailure(status) && !accepted).length;
  }

  move(target: Mutable<TargetFacts>, move: string): void {
    const taken = step(updateTargetMachine, target.status, move);
    if (!taken) return;
    target.status = taken.to;
    target.receivedAt = this.now;
  }

  happen({ what, at }: { what: string; at: number }): void {
    const target = this.targets[at % this.targets.length];
    if (what === 'wait') this.now += at * 60_000;
    else if (what === 'continue' || what === 'cancel') this.person(what);
    else if (target && what === 'connect' && target.server !== 'removed') target.server = 'connected';
    else if (target && what === 'disconnect' && target.server !== 'removed') target.server = 'offline';
    else if (target && what === 'remove') target.server = 'removed';
    else if (target && isActive(target.status)) this.move(target, what);
  }

  person(what: 'continue' | 'cancel'): void {
    const taken = step(daemonUpdateMachine, this.update.status, what);
    if (!taken) return;
    this.update.status = taken.to;
    if (what === 'cancel') for (const target of this.targets) this.move(target, 'cancel');
    else {
      for (const target of this.targets) if (isFailure(target.status)) target.accepted = true;
      this.update.stageBegunAt = this.now;
    }
  }

  /** Decides until nothing more is to be done now. Returns when to decide again. */
  settle(): number | undefined {
    for (let round = 0; round < 1_000; round++) {
      const decision = decide(this.update, this.targets, this.now);
      const byId = (id: string) => this.targets.find((target) => target.id === id) as Mutable<TargetFacts>;
      for (const { id } of decision.giveUp) this.move(byId(id), 'give_up');
      for (const id of decision.order) this.ordered(byId(id));
      if (decision.next) this.next(decision.next);
      this.check();
      if (decision.giveUp.length + decision.order.length === 0 && !decision.next) return decision.checkAt;
    }
    throw new Error('The update never settles.');
  }

  ordered(target: Mutable<TargetFacts>): void {
    expect(target).toMatchObject({ status: 'queued', server: 'connected', stage: this.update.stage });
    expect(this.update.status).toBe('running');
    // The promise of stages: everything before is over, with no more failures than allowed.
    expect(this.failed).toBeLessThanOrEqual(this.update.maxFailed);
    const before = this.targets.filter(({ stage }) => stage < target.stage);
    expect(before.every(({ status }) => updateTargetMachine.final.includes(status) || status === 'unreachable')).toBe(
      true,
    );
    this.move(target, 'order');
  }

  next(move: string): void {
    const taken = step(daemonUpdateMachine, this.update.status, move);
    expect(taken, `${move} from ${this.update.status}`).toBeDefined();
    if (taken) this.update.status = taken.to;
    if (move !== 'advance') return;
    this.update.stage += 1;
    this.update.stageBegunAt = this.now;
  }

  check(): void {
    expect(this.targets.filter(({ status }) => isActive(status)).length).toBeLessThanOrEqual(AT_ONCE);
    const ahead = this.targets.filter(({ stage }) => stage > this.update.stage);
    const untouched: readonly TargetStatus[] = ['queued', 'cancelled', 'unreachable'];
    expect(ahead.every(({ status }) => untouched.includes(status))).toBe(true);
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });

describe('an update in stages', () => {
  it('orders each server once, stage by stage, halts on failures above the limit, and always ends', () => {
    fc.assert(
      fc.property(
        sizes,
        fc.nat(2),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
        fc.array(happening, { maxLength: 60 }),
        (overrides, maxFailed, online, happenings) => {
          const simulation = new Simulation(overrides, maxFailed, online);
          simulation.settle();
          for (const happening of happenings) {
            simulation.happen(happening);
            simulation.settle();
          }
          // Afterwards only time passes, and a person continues what is halted.
          for (let round = 0; round < 500; round++) {
            const checkAt = simulation.settle();
            if (simulation.update.status === 'halted') simulation.person('continue');
            else if (checkAt === undefined) break;
            else simulation.now = Math.max(simulation.now, checkAt);
          }
          const { status, maxFailed: max } = simulation.update;
          expect(daemonUpdateMachine.final).toContain(status);
          expect(simulation.targets.some((target) => target.status === 'queued' || isActive(target.status))).toBe(
            false,
          );
          if (status === 'completed') expect(simulation.failed).toBeLessThanOrEqual(max);
        },
      ),
    );
  });

  const update: UpdateFacts = { status: 'running', stage: 1, maxFailed: 0, stageBegunAt: 0, offlineMs: 1_000 };
  const target = (over: Partial<TargetFacts>): TargetFacts => ({
    ...{ id: 'a', stage: 1, status: 'queued', accepted: false, receivedAt: 0, server: 'connected' },
    ...over,
  });

  it('waits for offline servers until the limit of their stage', () => {
    const waiting = [target({ server: 'offline' })];
    expect(decide(update, waiting, 999)).toMatchObject({ giveUp: [], order: [], next: undefined, checkAt: 1_000 });
    expect(decide(update, waiting, 1_000).giveUp).toEqual([{ id: 'a', why: 'offline' }]);
  });

  it('gives up a daemon that reports nothing, also after a halt', () => {
    const silent = [
      target({ status: 'trying' }),
      target({ id: 'b', status: 'returned' }),
      target({ id: 'c', stage: 2 }),
    ];
    const halted = { ...update, status: 'halted' as const };
    expect(decide(halted, silent, SILENCE_MS - 1)).toMatchObject({ next: undefined, checkAt: SILENCE_MS });
    expect(decide(halted, silent, SILENCE_MS).giveUp).toEqual([{ id: 'a', why: 'silent' }]);
  });

  it('fails instead of halting when nothing is left to continue', () => {
    expect(decide(update, [target({ status: 'done' }), target({ id: 'b', status: 'refused' })], 0).next).toBe('fail');
    expect(decide(update, [target({ id: 'b', status: 'refused' }), target({ stage: 2 })], 0).next).toBe('halt');
  });
});

describe('stages', () => {
  it('are cumulative, round percentages up, and cover all servers', () => {
    expect(stageSizes([1, '25%', '100%'], 8)).toEqual([1, 1, 6]);
    expect(stageSizes([1, '25%', '100%'], 3)).toEqual([1, 2]);
    expect(stageSizes([1], 5)).toEqual([1, 4]);
    expect(stageSizes(['10%', '50%'], 1)).toEqual([1]);
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.integer({ min: 1, max: 500 }),
            fc.integer({ min: 1, max: 100 }).map((n) => `${n}%`),
          ),
        ),
        fc.integer({ min: 1, max: 500 }),
        (stages, total) => {
          const found = stageSizes(stages, total);
          expect(found.every((size) => size > 0)).toBe(true);
          expect(found.reduce((sum, size) => sum + size, 0)).toBe(total);
          const places = Array.from({ length: total }, (_, place) => stageAt(found, place));
          expect(found).toEqual(found.map((_, index) => places.filter((stage) => stage === index + 1).length));
        },
      ),
    );
  });

  it('must grow', () => {
    expect(areGrowing([1, '25%', '100%'])).toBe(true);
    expect(areGrowing([2, 1])).toBe(false);
    expect(areGrowing(['50%', 3, '50%'])).toBe(false);
  });
});
