import type { Manifest } from '@hortus/contract/template/manifest';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Desired, desiredState } from './desired.ts';
import { plan } from './plan.ts';
import type { Plan, PlanStep } from './plan-step.ts';
import { recoveryPlan } from './recovery.ts';
import { routeRule } from './routes.ts';
import { EngineModel } from './testing/engine-model.ts';
import { component, manifest } from './testing/manifests.ts';
import { someManifest } from './testing/some-manifest.ts';

let deployments = 0;

function desire(from: Manifest): Desired {
  deployments++;
  return desiredState({
    deploymentId: `dep_${deployments}`,
    definitionId: 'def_1',
    revision: deployments,
    serverId: 'srv_1',
    manifest: from,
  });
}

const rulesOf = (from: Manifest | undefined) => (from?.routes ?? []).map(routeRule);

function applied(model: EngineModel, { steps }: Plan, until = steps.length): EngineModel {
  for (const step of steps.slice(0, until)) model.apply(step);
  return model;
}

function deployed(from: Manifest | undefined): EngineModel {
  const model = new EngineModel();
  return from === undefined ? model : applied(model, plan(desire(from), model.actual()));
}

/** Visible state: containers, names, running or exited. */
function picture(model: EngineModel): string[] {
  const nameOf = (id: string) => model.containers.find((container) => container.id === id)?.name ?? 'unknown';
  return [
    ...model.containers.map(({ name, config, state }) => `${name} ${config.slice(7, 15)} ${state}`),
    ...model.routes.map(({ host, path, containers }) => `${host}${path} ${containers.map(nameOf).sort()}`),
  ].sort();
}

/** Checks that no unused object is left. */
function expectTidy(model: EngineModel): void {
  const needed = new Set(model.containers.flatMap(({ home }) => home ?? []));
  const further = [...model.networks].filter((name) => name !== 'hortus-u');
  expect(new Set(further)).toEqual(needed);
}

const maybeManifest = fc.option(someManifest, { nil: undefined });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const cutAt = (steps: Plan, fraction: number) => Math.round(steps.steps.length * fraction);

describe('a plan', () => {
  test('leads to exactly the desired containers, and the next plan is empty', () => {
    fc.assert(
      fc.property(maybeManifest, someManifest, (old, wanted) => {
        const model = deployed(old);
        const desired = desire(wanted);
        applied(model, plan(desired, model.actual()));
        expect(model.containers.map(({ name, config }) => [name, config]).sort()).toEqual(
          desired.units.map(({ spec, config }) => [spec.name, config]).sort(),
        );
        for (const container of model.containers) {
          const kind = desired.units.find(({ spec }) => spec.name === container.name)?.kind;
          expect(container.state).toBe(kind === 'service' ? 'running' : 'exited');
        }
        expectTidy(model);
        expect(model.routes.map(({ containers: _, ...rule }) => rule)).toEqual(desired.routes);
        expect(plan(desired, model.actual()).steps).toEqual([]);
        // A second deployment of the same manifest has nothing to do.
        expect(plan(desire(wanted), model.actual()).steps).toEqual([]);
      }),
    );
  });

  test('lists only earlier steps in `after`, so that every order it allows is valid', () => {
    fc.assert(
      fc.property(maybeManifest, someManifest, fc.infiniteStream(fc.nat()), (old, wanted, choices) => {
        const model = deployed(old);
        const desired = desire(wanted);
        const left = [...plan(desired, model.actual()).steps];
        const done = new Set<string>();
        while (left.length > 0) {
          const ready = left.filter(({ after }) => after.every((key) => done.has(key)));
          expect(ready.length).toBeGreaterThan(0);
          const step = ready[(choices.next().value as number) % ready.length] as PlanStep;
          model.apply(step);
          done.add(step.key);
          left.splice(left.indexOf(step), 1);
        }
        expect(plan(desired, model.actual()).steps).toEqual([]);
      }),
    );
  });

  test('starts nothing before its dependencies, and jobs before services that can wait', () => {
    fc.assert(
      fc.property(maybeManifest, someManifest, (old, wanted) => {
        const { steps } = plan(desire(wanted), deployed(old).actual());
        const position = (key: string) => steps.findIndex((step) => step.key === key);
        for (const [index, step] of steps.entries()) {
          if (step.step !== 'start' && step.step !== 'before_start_job' && step.step !== 'after_start_job') continue;
          for (const [name, condition] of Object.entries(step.unit.dependsOn)) {
            const kinds = condition === 'started' ? ['start'] : ['wait_healthy', 'before_start_job'];
            for (const kind of kinds) expect(position(`${kind}:${name}.1`)).toBeLessThan(index);
          }
        }
      }),
    );
  });

  test('stops nothing before every new container exists with its files', () => {
    fc.assert(
      fc.property(someManifest, someManifest, (old, wanted) => {
        const { steps } = plan(desire(wanted), deployed(old).actual());
        const firstStop = steps.findIndex(({ step }) => step === 'stop_old');
        const lastPreparation = steps.findLastIndex(({ step }) => step === 'create' || step === 'files');
        if (firstStop >= 0) expect(lastPreparation).toBeLessThan(firstStop);
      }),
    );
  });

  test('keeps a healthy container behind every route and alias where two can run in parallel', () => {
    fc.assert(
      fc.property(someManifest, someManifest, share, fc.boolean(), (old, wanted, fraction, fails) => {
        const model = deployed(old);
        const desired = desire(wanted);
        const before = model.actual();
        const constant = desired.units.filter(({ beside, component }) => {
          const former = old.components.find(({ name }) => name === component);
          return beside && former?.kind === 'service' && former.replicas === 1 && former.storage.length === 0;
        });
        const poll = () => {
          for (const { component, aliases } of constant) {
            for (const alias of aliases) {
              const responding = model.named('hortus-u', alias);
              expect(responding.length).toBeGreaterThan(0);
              for (const { id } of responding) expect(model.healthy).toContain(id);
            }
            for (const route of model.routes.filter((each) => each.component === component)) {
              expect(route.containers.some((id) => model.healthy.has(id))).toBe(true);
            }
          }
        };
        const run = ({ steps }: Plan, until = steps.length) => {
          for (const step of steps.slice(0, until)) {
            model.apply(step);
            poll();
          }
        };
        const steps = plan(desired, before);
        run(steps, fails ? cutAt(steps, fraction) : undefined);
        const recovery = recoveryPlan(desired, before, model.actual(), rulesOf(old));
        if (fails && recovery.direction !== 'none') run(recovery.plan);
      }),
      { numRuns: 300 },
    );
  });

  test('never removes a volume', () => {
    fc.assert(
      fc.property(someManifest, someManifest, share, (old, wanted, fraction) => {
        const model = deployed(old);
        const volumes = [...model.volumes];
        const desired = desire(wanted);
        const before = model.actual();
        const steps = plan(desired, before);
        applied(model, steps, cutAt(steps, fraction));
        const recovery = recoveryPlan(desired, before, model.actual(), rulesOf(old));
        const all = [...steps.steps, ...(recovery.direction === 'none' ? [] : recovery.plan.steps)];
        for (const step of all) {
          if (step.step === 'discard' || step.step === 'remove_old') expect(step.container.id).toMatch(/^id/);
        }
        expect([...model.volumes]).toEqual(expect.arrayContaining(volumes));
      }),
    );
  });
});

describe('after a failure at any step', () => {
  test('recovery ends in exactly the old or exactly the new state', () => {
    fc.assert(
      fc.property(maybeManifest, someManifest, share, (old, wanted, fraction) => {
        const model = deployed(old);
        const desired = desire(wanted);
        const [before, oldPicture] = [model.actual(), picture(model)];
        const steps = plan(desired, before);
        const newPicture = picture(applied(model.copy(), steps));
        applied(model, steps, cutAt(steps, fraction));
        const recovery = recoveryPlan(desired, before, model.actual(), rulesOf(old));
        if (recovery.direction === 'none') throw new Error('nothing here is irreversible');
        applied(model, recovery.plan);
        expectTidy(model);
        expect(picture(model)).toEqual(recovery.direction === 'back' ? oldPicture : newPicture);
      }),
      { numRuns: 300 },
    );
  });

  test('a restarted daemon reaches the new state', () => {
    fc.assert(
      fc.property(maybeManifest, someManifest, fc.array(share, { minLength: 1, maxLength: 3 }), (old, wanted, cuts) => {
        const model = deployed(old);
        const desired = desire(wanted);
        const newPicture = picture(applied(model.copy(), plan(desired, model.actual())));
        for (const fraction of cuts) {
          const steps = plan(desired, model.actual());
          applied(model, steps, cutAt(steps, fraction));
        }
        applied(model, plan(desired, model.actual()));
        expect(picture(model)).toEqual(newPicture);
      }),
      { numRuns: 300 },
    );
  });

  test('a restarted daemon that then fails ends in exactly the old or the new state', () => {
    fc.assert(
      fc.property(maybeManifest, someManifest, share, share, (old, wanted, died, failed) => {
        const model = deployed(old);
        const desired = desire(wanted);
        const oldPicture = picture(model);
        const first = plan(desired, model.actual());
        const newPicture = picture(applied(model.copy(), first));
        applied(model, first, cutAt(first, died));
        const before = model.actual();
        const second = plan(desired, before);
        applied(model, second, cutAt(second, failed));
        const recovery = recoveryPlan(desired, before, model.actual(), rulesOf(old));
        if (recovery.direction === 'none') throw new Error('nothing here is irreversible');
        applied(model, recovery.plan);
        expectTidy(model);
        expect([oldPicture, newPicture]).toContainEqual(picture(model));
      }),
      { numRuns: 300 },
    );
  });

  test('another deployment after a crash reaches its desired state', () => {
    fc.assert(
      fc.property(maybeManifest, someManifest, someManifest, share, (old, first, second, died) => {
        const model = deployed(old);
        const interrupted = plan(desire(first), model.actual());
        applied(model, interrupted, cutAt(interrupted, died));
        const desired = desire(second);
        applied(model, plan(desired, model.actual()));
        expect(model.containers.map(({ name, config }) => [name, config]).sort()).toEqual(
          desired.units.map(({ spec, config }) => [spec.name, config]).sort(),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('an irreversible job that has started prevents a rollback', () => {
    const job = { kind: 'job', run: 'before_start', irreversible: true } as const;
    const of = (version: number) =>
      manifest('u', [
        component('migrate', { ...job, image: `example:${version}` }),
        component('app', { image: `example:${version}`, depends_on: { migrate: 'completed' } }),
      ]);
    const model = deployed(of(1));
    const desired = desire(of(2));
    const before = model.actual();
    const steps = plan(desired, before);
    // Without storage, so that the application starts in parallel with its predecessor.
    const directions = steps.steps.map((step) => {
      model.apply(step);
      return [step.step, recoveryPlan(desired, before, model.actual(), []).direction];
    });
    expect(directions).toEqual([
      ['network', 'back'],
      ['pull', 'back'],
      ['create', 'back'],
      ['create', 'back'],
      ['before_start_job', 'none'],
      ['start', 'none'],
      ['wait_healthy', 'none'],
      ['join', 'none'],
      ['stop_old', 'none'],
      ['remove_old', 'forward'],
      ['remove_old', 'forward'],
      ['switch', 'forward'],
      ['switch', 'forward'],
    ]);
  });
});

test('cyclic dependencies are rejected', () => {
  const cyclic = manifest('u', [
    component('a', { depends_on: { b: 'started' } }),
    component('b', { depends_on: { a: 'started' } }),
  ]);
  expect(() => plan(desire(cyclic), deployed(undefined).actual())).toThrow('cycle');
});
