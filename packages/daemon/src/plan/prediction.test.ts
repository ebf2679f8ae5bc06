import type { Manifest } from '@hortus/contract/template/manifest';
import { predict } from '@hortus/template/rollout/predict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { desiredState } from './desired.ts';
import { plan } from './plan.ts';
import { EngineModel } from './testing/engine-model.ts';
import { component, manifest } from './testing/manifests.ts';
import { someManifest } from './testing/some-manifest.ts';

let deployments = 0;
const desire = (from: Manifest) =>
  desiredState({
    deploymentId: `dep_${++deployments}`,
    definitionId: 'def',
    revision: 1,
    serverId: 'srv',
    manifest: from,
  });

/** What the planner does, in the terms of a deployment preview. */
function done(old: Manifest | undefined, wanted: Manifest) {
  const model = new EngineModel();
  const run = (from: Manifest) => {
    const { steps } = plan(desire(from), model.actual());
    for (const step of steps) model.apply(step);
    return steps;
  };
  if (old) run(old);
  const before = new Set(model.containers.map((container) => container.component));
  const steps = run(wanted);
  const created = new Map(steps.flatMap((step) => (step.step === 'create' ? [[step.unit.component, step]] : [])));
  const change = (name: string) => (!before.has(name) ? 'created' : created.has(name) ? 'replaced' : 'unchanged');
  const units = desire(wanted).units;
  return {
    changes: Object.fromEntries(units.map((unit) => [unit.component, change(unit.component)])),
    removed: [...before].filter((name) => !units.some((unit) => unit.component === name)).sort(),
    // A new component may also wait for the previous owner of its name.
    beside: [...created.values()]
      .filter(({ unit, home }) => home !== undefined && before.has(unit.component))
      .map(({ unit }) => unit.component)
      .sort(),
    jobs: steps
      .flatMap((step) => (step.step.endsWith('_start_job') && 'unit' in step ? step.unit.component : []))
      .sort(),
    pulls: steps.flatMap((step) => (step.step === 'pull' ? step.image : [])).sort(),
  };
}

function reported(old: Manifest | undefined, wanted: Manifest) {
  const former = old && { manifest: old, secretPaths: [] };
  const { components, jobs, pulls } = predict({ manifest: wanted, secretPaths: [] }, { former, drift: [], up: true });
  const staying = components.filter(({ change }) => change !== 'removed');
  return {
    changes: Object.fromEntries(staying.map(({ name, change }) => [name, change])),
    removed: components.flatMap(({ name, change }) => (change === 'removed' ? name : [])).sort(),
    beside: components.flatMap(({ name, strategy }) => (strategy === 'beside' ? name : [])).sort(),
    jobs: jobs.map((job) => job.component).sort(),
    pulls: [...pulls].sort(),
  };
}

/** Without replicas: the preview describes them differently. */
const single = someManifest.map((item) => ({
  ...item,
  components: item.components.map((each) => ({ ...each, replicas: 1 })),
}));

describe('the preview of a deployment', () => {
  it('matches what the planner does', () => {
    fc.assert(
      fc.property(fc.option(single, { nil: undefined }), single, (old, wanted) => {
        // A component that changes between job and service is rare and left to the daemon.
        const kinds = new Map(old?.components.map(({ name, kind }) => [name, kind]));
        fc.pre(wanted.components.every(({ name, kind }) => !kinds.has(name) || kinds.get(name) === kind));
        expect(reported(old, wanted)).toEqual(done(old, wanted));
      }),
      { numRuns: 300 },
    );
  });

  const fields: [what: string, edit: Partial<Parameters<typeof component>[1]>, replaced: boolean][] = [
    ['another host name', { hostname: 'other' }, true],
    ['another alias', { aliases: ['other'] }, true],
    ['another signal', { stop_signal: 'SIGINT' }, true],
    [
      'another health check',
      { healthcheck: { tcp: { port: 1 }, interval_ms: 1, timeout_ms: 1, start_period_ms: 1, retries: 1 } },
      true,
    ],
    ['tmpfs', { tmpfs: [{ mount_path: '/t' }] }, true],
    ['an open port', { ports: [{ container_port: 7, protocol: 'udp' }] }, true],
    ['another order', { depends_on: { db: 'started' } }, false],
    ['a schedule that means nothing here', { schedule: '@daily' }, false],
    [
      'a critical volume',
      { storage: [{ name: 'renamed', volume: 'v', mount_path: '/v', read_only: true, critical: true }] },
      false,
    ],
  ];
  it.each(fields)('agrees on %s', (_, edit, replaced) => {
    const storage = [{ name: 'data', volume: 'v', mount_path: '/v', read_only: true, critical: false }];
    const of = (more: typeof edit) => manifest('u', [component('db'), component('app', { storage, ...more })]);
    expect(reported(of({}), of(edit ?? {})).changes.app).toBe(replaced ? 'replaced' : 'unchanged');
    expect(done(of({}), of(edit ?? {})).changes.app).toBe(replaced ? 'replaced' : 'unchanged');
  });
});
