import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServiceFacts } from '../engine/cluster.ts';
import { desiredState } from '../plan/desired.ts';
import { label } from '../plan/labels.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { someManifest } from '../plan/testing/some-manifest.ts';
import { type DesiredService, desiredServices } from './desired-services.ts';
import { swarmPlan, undoings } from './swarm-plan.ts';
import { service, task } from './testing/swarm-facts.ts';

const deploymentId = 'dep_2';

function wantedOf(overrides: ReturnType<typeof manifest>): DesiredService[] {
  const from = { deploymentId, definitionId: 'def', revision: 1, serverId: 'srv', manifest: overrides };
  return desiredServices(desiredState(from), overrides, {
    node: 'n1',
    cpus: 2,
    logDriver: 'json-file',
    routed: new Set<string>(),
  });
}

/** The service as the Swarm has it after an earlier deployment of the same components. */
const deployed = (wanted: DesiredService, overrides: Partial<ServiceFacts> = {}): ServiceFacts =>
  service({
    id: wanted.unit.spec.name,
    name: wanted.unit.spec.name,
    labels: { ...wanted.spec.labels, [label.deployment]: 'dep_1' },
    kind: wanted.unit.kind === 'service' ? 'replicated' : 'job',
    replicas: wanted.replicas,
    ...overrides,
  });

const completed = (services: readonly ServiceFacts[]) =>
  services.filter(({ kind }) => kind === 'job').map(({ id }) => task({ service: id, state: 'complete' }));

function planOf(services: DesiredService[], actual: ServiceFacts[], renewed = new Map<string, string>()) {
  const wish = { deploymentId, services, renewed, volumes: [], reroute: false };
  return swarmPlan(wish, { services: actual, jobTasks: completed(actual) }).steps;
}

describe('the plan for a Swarm', () => {
  it('does nothing for services that are as wanted', () => {
    fc.assert(
      fc.property(someManifest, (overrides) => {
        const wanted = wantedOf(overrides);
        expect(
          planOf(
            wanted,
            wanted.map((service) => deployed(service)),
          ),
        ).toEqual([]);
      }),
    );
  });

  it('starts every component of a new instance after its dependencies', () => {
    fc.assert(
      fc.property(someManifest, (overrides) => {
        const wanted = wantedOf(overrides);
        const steps = planOf(wanted, []);
        const keys = steps.map(({ key }) => key);
        for (const [index, step] of steps.entries())
          for (const before of step.after) expect(keys.indexOf(before)).toBeLessThan(index);
        for (const { unit } of wanted) {
          const key = unit.kind === 'service' ? `wait_healthy:${unit.key}` : `${unit.kind}:${unit.key}`;
          expect(keys).toContain(key);
        }
      }),
    );
  });

  it('scales a service whose number of tasks alone differs', () => {
    const [wanted] = wantedOf(manifest('u', [component('main', { replicas: 3 })])) as [DesiredService];
    const steps = planOf([wanted], [deployed(wanted, { replicas: 0 })]);
    expect(steps.map(({ step }) => step)).toEqual(['start', 'wait_healthy']);
    expect(steps[0]).toMatchObject({ decision: { decision: 'scale' } });
  });

  it('only waits for a service that an interrupted attempt of this deployment has changed', () => {
    const [wanted] = wantedOf(manifest('u', [component('main')])) as [DesiredService];
    const steps = planOf([wanted], [deployed(wanted, { labels: wanted.spec.labels })]);
    expect(steps.map(({ step }) => step)).toEqual(['wait_healthy']);
  });

  it('updates a service whose image moved, and removes undeclared ones last', () => {
    const [wanted] = wantedOf(manifest('u', [component('main')])) as [DesiredService];
    const other = service({ id: 'other', name: 'u-other' });
    const steps = planOf([wanted], [deployed(wanted), other], new Map([['example:1', 'example:1@sha256:new']]));
    expect(steps.map(({ step }) => step)).toEqual(['pull', 'network', 'start', 'wait_healthy', 'remove_old']);
  });
});

describe('the way back', () => {
  const labels = (deployment: string) => ({ [label.deployment]: deployment, [label.config]: `of ${deployment}` });

  it('rolls updated services back, removes created ones, and leaves the others', () => {
    const updated = service({ id: 'updated', labels: labels('dep_2'), formerLabels: labels('dep_1') });
    const created = service({ id: 'created', labels: labels('dep_2') });
    const scaled = service({ id: 'scaled', labels: labels('dep_2'), formerLabels: labels('dep_2') });
    const kept = service({ id: 'kept', labels: labels('dep_1'), formerLabels: labels('dep_0') });
    expect(undoings('dep_2', [updated, created, scaled, kept])).toEqual([
      { service: updated, undo: 'roll_back', config: 'of dep_1' },
      { service: created, undo: 'remove' },
      { service: scaled, undo: 'remove' },
    ]);
  });
});
