import { type PlaybookType, playbooks } from '@hortus/contract/actions/playbooks';
import type { ManifestRoute } from '@hortus/contract/template/manifest';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Actual, isNext } from './actual.ts';
import { type Desired, desiredState } from './desired.ts';
import { plan } from './plan.ts';
import type { Plan } from './plan-step.ts';
import { recoveryPlan } from './recovery.ts';
import { routeRule } from './routes.ts';
import { EngineModel } from './testing/engine-model.ts';
import { component, manifest } from './testing/manifests.ts';

let deployments = 0;

const host = 'u.example.org';
const route: ManifestRoute = {
  ...{ name: 'web', component: 'app', port: 80, host, path: '/', url: `http://${host}/` },
  ...{ strip: false, tls: 'off', primary: true },
};
const rules = [routeRule(route)];

const desire = (components: Parameters<typeof manifest>[1]): Desired =>
  desiredState({
    deploymentId: `dep_${++deployments}`,
    definitionId: 'def_1',
    revision: deployments,
    serverId: 'srv_1',
    manifest: manifest('u', components, { routes: [route] }),
  });

const volume = { name: 'data', volume: 'u_data', mount_path: '/data', read_only: false, critical: true };

/** One component for every kind of step; `version` changes all of them. */
const everything = (version: number, { broken = false } = {}) => [
  component('db', {
    image: `db:${version}`,
    storage: [volume],
  }),
  component('migrate', { kind: 'job', run: 'before_start', image: `app:${version}`, depends_on: { db: 'healthy' } }),
  component('app', {
    image: `app:${version}`,
    files: [{ mount_path: '/etc/x', mode: '0644', content: `${version}` }],
    depends_on: { migrate: 'completed' },
    ...(broken && { env: { BROKEN: '1' } }),
  }),
  component('seed', { kind: 'job', run: 'after_start', image: `app:${version}` }),
];

const apply = (model: EngineModel, { steps }: Plan, until = steps.length) => {
  for (const step of steps.slice(0, until)) model.apply(step);
};

/** The playbook type of a rollout with this initial state. */
const kindOf = ({ units }: Desired, { containers }: Actual): PlaybookType => {
  if (containers.every((container) => isNext(container) && container.replaces.length === 0)) return 'deploy';
  return units.some(({ beside }) => beside) ? 'replace' : 'recreate';
};

const stepsIn = ({ steps }: Plan) => [...new Set(steps.map(({ step }) => step))];

function expectInPlaybook(type: PlaybookType, made: Plan): void {
  const known: readonly string[] = playbooks[type].steps;
  for (const step of stepsIn(made)) expect(known, `${step} in the playbook ${type}`).toContain(step);
}

/** How much of an interrupted rollout was done, as a share of its steps. */
const cut = fc.double({ min: 0, max: 1, noNaN: true });

describe('the playbooks', () => {
  test('contain every step of every plan, even after interrupted rollouts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), cut), { maxLength: 4 }), (rollouts) => {
        const model = new EngineModel();
        for (const [version, share] of rollouts) {
          const before = model.actual();
          const desired = desire(everything(version));
          const made = plan(desired, before);
          expectInPlaybook(kindOf(desired, before), made);
          apply(model, made, Math.round(made.steps.length * share));
          const recovery = recoveryPlan(desired, before, model.actual(), rules);
          if (recovery.direction === 'back') expectInPlaybook('recover', recovery.plan);
          if (recovery.direction === 'forward') expectInPlaybook(kindOf(desired, model.actual()), recovery.plan);
        }
      }),
    );
  });

  test('have no unused step, and list the steps in their order', () => {
    const model = new EngineModel();
    const files = [{ mount_path: '/etc/x', mode: '0644', content: 'x' }];
    const first = plan(desire([component('app', { files })]), model.actual());
    const inOrder = (type: PlaybookType, made: Plan) =>
      expect(stepsIn(made)).toEqual(playbooks[type].steps.filter((step) => stepsIn(made).includes(step as never)));
    inOrder('deploy', first);
    apply(model, first);
    const second = plan(desire([component('app', { image: 'example:2' })]), model.actual());
    inOrder('replace', second);
    apply(model, second);
    inOrder('recreate', plan(desire([component('app', { image: 'example:3', storage: [volume] })]), model.actual()));

    const taken = new Set<string>();
    const whole = new EngineModel();
    const note = (made: Plan, until?: number) => {
      for (const step of stepsIn(made)) taken.add(step);
      apply(whole, made, until);
    };
    note(plan(desire(everything(1)), whole.actual()));
    const before = whole.actual();
    const failing = desire(everything(2, { broken: true }));
    const made = plan(failing, before);
    const stopped = made.steps.findIndex(({ step }) => step === 'stop_old') + 1;
    note(made, stopped);
    const recovery = recoveryPlan(failing, before, whole.actual(), rules);
    if (recovery.direction === 'none') throw new Error('nothing here is irreversible');
    note(recovery.plan);
    const rollouts: readonly PlaybookType[] = ['deploy', 'replace', 'recreate', 'rollback', 'recover'];
    expect([...taken].sort()).toEqual([...new Set(rollouts.flatMap((type) => playbooks[type].steps))].sort());
  });
});
