import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import fc from 'fast-check';
import { component, manifest } from './manifests.ts';

const names = ['a', 'b', 'c', 'd', 'e'];

/** Draws a component. With only five names, revisions share, change, add and drop components. */
function someComponent(name: string): fc.Arbitrary<ManifestComponent> {
  const earlier = names.slice(0, names.indexOf(name));
  return fc
    .record({
      kind: fc.constantFrom('service' as const, 'service' as const, 'job' as const),
      run: fc.constantFrom('before_start' as const, 'before_start' as const, 'after_start' as const),
      version: fc.integer({ min: 1, max: 2 }),
      replicas: fc.constantFrom(1, 1, 2),
      stored: fc.boolean(),
      filed: fc.boolean(),
      dependsOn: fc.subarray(earlier),
      condition: fc.constantFrom('started' as const, 'healthy' as const),
      settings: someSettings,
    })
    .map(({ kind, run, version, replicas, stored, filed, dependsOn, condition, settings }) =>
      component(name, {
        ...settings,
        kind,
        ...(kind === 'job' ? { run } : {}),
        aliases: [`other-${name}`],
        image: `example:${version}`,
        replicas: kind === 'job' ? 1 : replicas,
        storage: stored
          ? [{ name: 'data', volume: `u_${name}`, mount_path: '/data', read_only: false, critical: true }]
          : [],
        files: filed ? [{ mount_path: '/etc/x', mode: '0644', content: `${version}` }] : [],
        depends_on: Object.fromEntries(dependsOn.map((other) => [other, condition])),
      }),
    );
}

/** Settings that do not affect the order of steps. */
const someSettings: fc.Arbitrary<Partial<ManifestComponent>> = fc.record({
  env: fc.dictionary(fc.constantFrom('GREETING', 'TOKEN', 'EMPTY'), fc.constantFrom('', 'a=b', 'hidden-value')),
  labels: fc.dictionary(fc.constantFrom('org.example.zone', 'note'), fc.constantFrom('north', 'south')),
  resources: fc.record(
    {
      cpus: fc.constantFrom(0.5, 4),
      memory_bytes: fc.constantFrom(2 ** 26, 2 ** 27),
      memory_reservation_bytes: fc.constant(2 ** 25),
      pids: fc.constantFrom(50, 100),
    },
    { requiredKeys: [] },
  ),
  restart: fc.constantFrom('always', 'unless-stopped', 'on-failure', 'no'),
  tmpfs: fc.constantFrom([], [{ mount_path: '/scratch/' }]),
  read_only: fc.constant(false),
  capabilities: fc.constantFrom({ add: [], drop: [] }, { add: ['net_bind_service'], drop: ['ALL'] }),
  ports: fc.constantFrom([], [{ container_port: 80, protocol: 'tcp' as const }]),
});

/** Draws a manifest of a few components with dependencies and routes. */
export const someManifest: fc.Arbitrary<Manifest> = fc
  .subarray(names, { minLength: 1 })
  .chain((chosen) => fc.tuple(...chosen.map(someComponent)))
  .map((components) => {
    const kinds = new Map(components.map((component) => [component.name, component]));
    for (const component of components) {
      for (const other of Object.keys(component.depends_on)) {
        const target = kinds.get(other);
        // An after-start job waits for every service, so nothing may depend on it.
        if (target === undefined || target.run === 'after_start') delete component.depends_on[other];
        else if (target.kind === 'job') component.depends_on[other] = 'completed';
      }
    }
    return components;
  })
  .chain((components) => {
    const services = components.filter(({ kind }) => kind === 'service').map(({ name }) => name);
    return fc.tuple(fc.subarray(services), fc.constantFrom('one.test', 'two.test')).map(([routed, host]) => {
      const routes = routed.map((name) => ({ ...route, name, component: name, host, path: `/${name}` }));
      return manifest('u', components, { routes });
    });
  });

const route = { port: 80, strip: false, tls: 'off', primary: false, url: '' } as const;
