import type { Manifest } from '@hortus/contract/template/manifest';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Reading } from '../instances/read-actual.ts';
import { belongsTo } from '../plan/actual.ts';
import { type Desired, desiredState, type Unit } from '../plan/desired.ts';
import { plan } from '../plan/plan.ts';
import { EngineModel } from '../plan/testing/engine-model.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { someManifest } from '../plan/testing/some-manifest.ts';
import { withAlterations } from './alterations.ts';
import { instanceDrift } from './instance-drift.ts';
import { image, inspected } from './testing/inspected.ts';

const cpus = 2;
const known = { cpus, limitsPids: true, images: new Map([[image.id, image]]), deployed: [] };
let deployments = 0;

const desire = (from: Manifest): Desired =>
  desiredState({
    deploymentId: `dep_${++deployments}`,
    definitionId: 'def',
    revision: 1,
    serverId: 'srv',
    manifest: from,
  });

function rollOut(model: EngineModel, desired: Desired): void {
  for (const step of plan(desired, model.actual()).steps) model.apply(step);
}

/** Reads the engine model; each container has the settings of its own deployment. */
function read(model: EngineModel, desired: Desired): Reading {
  const actual = model.actual();
  const facts = actual.containers.map((container): [string, ContainerFacts] => {
    const unit = desired.units.find((unit) => belongsTo(container, unit)) as Unit;
    return [container.id, inspected(unit, container, cpus)];
  });
  return { actual, facts: new Map(facts) };
}

function deployed(from: Manifest): { model: EngineModel; desired: Desired; reading: Reading } {
  const model = new EngineModel();
  const desired = desire(from);
  rollOut(model, desired);
  return { model, desired, reading: read(model, desired) };
}

type Change = (facts: ContainerFacts, unit: Unit) => Partial<ContainerFacts> | undefined;

/** Every possible change of a container, and the field that must report it. */
const changes: Record<string, [field: string, change: Change]> = {
  'another image': ['image', () => ({ image: 'example:9' })],
  'a variable lost': [
    'env.GREETING',
    ({ env }, { spec }) => ('GREETING' in spec.env ? without(env, 'GREETING') : undefined),
  ],
  'a variable changed': [
    'env.GREETING',
    ({ env }, { spec }) =>
      'GREETING' in spec.env ? { env: [...(without(env, 'GREETING').env ?? []), 'GREETING=else'] } : undefined,
  ],
  'a variable added': ['env.DEBUG', ({ env }) => ({ env: [...env, 'DEBUG=1'] })],
  "the image's variable changed": [
    'env.LANG',
    ({ env }) => ({ env: [...(without(env, 'LANG').env ?? []), 'LANG=de'] }),
  ],
  'a mount lost': [
    'mounts./data',
    ({ mounts }, { spec }) =>
      spec.mounts.some(({ target }) => target === '/data')
        ? { mounts: mounts.filter(({ target }) => target !== '/data') }
        : undefined,
  ],
  'a mount of something else': [
    'mounts./data',
    ({ mounts }, { spec }) =>
      spec.mounts.some(({ target }) => target === '/data')
        ? { mounts: mounts.map((mount) => (mount.target === '/data' ? { ...mount, source: 'other' } : mount)) }
        : undefined,
  ],
  'a mount made read-only': [
    'mounts./data',
    ({ mounts }, { spec }) =>
      spec.mounts.some(({ target }) => target === '/data')
        ? { mounts: mounts.map((mount) => (mount.target === '/data' ? { ...mount, readOnly: true } : mount)) }
        : undefined,
  ],
  'a mount added': [
    'mounts./etc',
    ({ mounts }) => ({
      mounts: [...mounts, { kind: 'bind', source: '/etc', target: '/etc', readOnly: false }],
    }),
  ],
  'more memory': ['limits.memory', ({ limits }) => ({ limits: { ...limits, memoryBytes: limits.memoryBytes + 1 } })],
  'fewer cpus': ['limits.cpus', ({ limits }) => ({ limits: { ...limits, cpus: limits.cpus + 0.25 } })],
  'more processes': [
    'limits.pids',
    ({ limits }, { spec }) =>
      spec.limits.pids === undefined ? undefined : { limits: { ...limits, pids: limits.pids + 1 } },
  ],
  'off its network': [
    'networks.hortus-u',
    ({ networks }) => ({ networks: networks.filter(({ name }) => name !== 'hortus-u') }),
  ],
  'on its network without its aliases': [
    'networks.hortus-u',
    ({ networks }) => ({
      networks: networks.map((network) => ({ ...network, aliases: [] })),
    }),
  ],
  'on a foreign network': [
    'networks.bridge',
    ({ networks }) => ({
      networks: [...networks, { name: 'bridge', address: '', aliases: [] }],
    }),
  ],
  "on the host's network": ['network', () => ({ hostNetwork: true })],
  'a label changed': [
    'labels.note',
    ({ labels }, { spec }) => ('note' in spec.labels ? { labels: { ...labels, note: 'west' } } : undefined),
  ],
  'a label added': ['labels.extra', ({ labels }) => ({ labels: { ...labels, extra: '1' } })],
  'another server’s': [
    'labels.hortus.definition',
    ({ labels }) => ({ labels: { ...labels, 'hortus.definition': 'def_2' } }),
  ],
  'made from another configuration': [
    'config',
    ({ labels }) => ({ labels: { ...labels, 'hortus.config': 'sha256:0' } }),
  ],
  'another restart policy': [
    'restart',
    ({ restartPolicy }) => ({ restartPolicy: restartPolicy === 'no' ? 'always' : 'no' }),
  ],
  'a published port': ['ports', () => ({ ports: [{ containerPort: 80, protocol: 'tcp', hostPort: 8080 }] })],
  privileged: ['privileged', () => ({ privileged: true })],
  'a read-only root': ['read_only', () => ({ readOnlyRoot: true })],
  'an additional capability': [
    'capabilities.add',
    ({ capabilities: { add, drop } }) => ({
      capabilities: { add: [...add, 'SYS_ADMIN'], drop },
    }),
  ],
  renamed: ['name', ({ name }) => ({ name: `${name}-old` })],
};

const without = (env: readonly string[], name: string): Partial<ContainerFacts> => ({
  env: env.filter((line) => !line.startsWith(`${name}=`)),
});

describe('right after a deployment', () => {
  it('there is no drift, whatever is deployed and was deployed before', () => {
    fc.assert(
      fc.property(fc.option(someManifest, { nil: undefined }), someManifest, (old, wanted) => {
        const model = new EngineModel();
        if (old) rollOut(model, desire(old));
        const desired = desire(wanted);
        rollOut(model, desired);
        expect(instanceDrift(desired, read(model, desired), known)).toEqual([]);
      }),
    );
  });

  it('a rollout regards no container as altered', async () => {
    const engine = { info: async () => ({ cpus, limitsPids: true }) as never, image: async () => image };
    await fc.assert(
      fc.asyncProperty(someManifest, async (wanted) => {
        const { desired, reading } = deployed(wanted);
        expect(await withAlterations(engine, desired, reading)).toEqual(reading);
      }),
    );
  });
});

const withService = someManifest.filter(({ components }) => components.some(({ kind }) => kind === 'service'));

describe('every change is detected and named', () => {
  it.each(Object.entries(changes))('%s', (_, [field, change]) => {
    fc.assert(
      fc.property(withService, fc.nat(), (wanted, choice) => {
        const { desired, reading } = deployed(wanted);
        const services = desired.units.filter(({ kind }) => kind === 'service');
        const unit = services[choice % services.length] as Unit;
        const container = reading.actual.containers.find((container) => belongsTo(container, unit));
        const before = reading.facts.get(container?.id ?? '') as ContainerFacts;
        const changed = change(before, unit);
        fc.pre(changed !== undefined);
        const facts = new Map(reading.facts).set(before.id, { ...before, ...changed });
        const drift = instanceDrift(desired, { actual: reading.actual, facts }, known);
        expect(drift).toEqual([expect.objectContaining({ component: unit.component, field })]);
        expect(JSON.stringify(drift)).not.toContain('hidden-value');
      }),
      { numRuns: 30 },
    );
  });

  it('another digest under the same tag is drift', () => {
    const { desired, reading } = deployed(manifest('u', [component('app')]));
    const deployedAs = (digit: string) => [
      { component: 'app', image: 'example:1', digest: `sha256:${digit.repeat(64)}` },
    ];
    expect(instanceDrift(desired, reading, { ...known, deployed: deployedAs('b') })).toEqual([]);
    expect(instanceDrift(desired, reading, { ...known, deployed: deployedAs('c') })).toEqual([
      { component: 'app', field: 'image', declared: `sha256:${'c'.repeat(64)}`, actual: `sha256:${'b'.repeat(64)}` },
    ]);
  });

  it('a missing container and its route, an extra container and a missing volume are drift', () => {
    const route = {
      name: 'web',
      component: 'app',
      port: 80,
      host: 'u.test',
      path: '/',
      strip: false,
      tls: 'off',
      primary: true,
      url: '',
    } as const;
    const storage = [{ name: 'data', volume: 'u_data', mount_path: '/data', read_only: false, critical: true }];
    const { desired, reading } = deployed(manifest('u', [component('app', { storage })], { routes: [route] }));
    const [own] = reading.actual.containers;
    if (own === undefined) throw new Error('no container was deployed');
    const among = (actual: Partial<Reading['actual']>) =>
      instanceDrift(desired, { ...reading, actual: { ...reading.actual, ...actual } }, known);
    const way = { host: 'u.test', path: '/', port: 80, strip: false, tls: 'off' };
    expect(among({ containers: [] })).toEqual([
      { component: 'app', field: 'component', declared: 'u', actual: null },
      {
        component: 'app',
        field: 'routes.web',
        declared: { ...way, containers: ['u'] },
        actual: { ...way, containers: ['unknown'] },
      },
    ]);
    const extras = [
      { ...own, id: 'x', name: 'u-copy' },
      { ...own, id: 'y', name: 'u-extra', component: 'extra' },
    ];
    expect(among({ containers: [own, ...extras] })).toEqual([
      { component: 'app', field: 'component', declared: null, actual: 'u-copy' },
      { component: 'extra', field: 'component', declared: null, actual: 'u-extra' },
    ]);
    expect(among({ volumes: [] })).toEqual([
      { component: null, field: 'volumes.u_data', declared: 'u_data', actual: null },
    ]);
    expect(among({ routes: [] })).toMatchObject([{ component: 'app', field: 'routes.web', actual: null }]);
  });

  it('completed jobs and stopped containers are no drift', () => {
    const job = component('seed', { kind: 'job', run: 'before_start' });
    const { desired, reading } = deployed(manifest('u', [job, component('app')]));
    const containers = reading.actual.containers
      .filter(({ component: name }) => name === 'app')
      .map((container) => ({ ...container, state: 'exited' as const }));
    expect(instanceDrift(desired, { ...reading, actual: { ...reading.actual, containers } }, known)).toEqual([]);
  });
});

describe('a rollout', () => {
  it('replaces altered containers, reconnects disconnected ones, removes extra ones, and then has nothing to do', () => {
    fc.assert(
      fc.property(
        withService,
        fc.nat(),
        fc.constantFrom('altered', 'cut off', 'doubled', 'gone'),
        (wanted, choice, what) => {
          const { model, desired } = deployed(wanted);
          const services = model.containers.filter(({ state }) => state === 'running');
          const victim = services[choice % services.length];
          if (victim === undefined) throw new Error('nothing runs');
          if (what === 'altered') victim.altered = true;
          if (what === 'cut off') victim.networks = victim.networks.filter((name) => name !== 'hortus-u');
          if (what === 'doubled') model.containers.push({ ...victim, id: 'copy', name: 'u-copy' });
          if (what === 'gone') model.containers = model.containers.filter(({ id }) => id !== victim.id);
          rollOut(model, desire(wanted));
          expect(model.containers.map(({ name }) => name).sort()).toEqual(
            desired.units.map(({ spec }) => spec.name).sort(),
          );
          expect(model.containers.some(({ id }) => id === victim.id)).toBe(what === 'cut off' || what === 'doubled');
          expect(model.containers.every(({ altered }) => !altered)).toBe(true);
          expect(plan(desire(wanted), model.actual()).steps).toEqual([]);
          const healed = desire(wanted);
          expect(instanceDrift(healed, read(model, healed), known)).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });
});
