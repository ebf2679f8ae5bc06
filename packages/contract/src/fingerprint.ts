import Type, { type Static } from 'typebox';
import { nullable } from './fields.ts';
import type { Manifest } from './template/manifest.ts';

const word = (description: string) => nullable(Type.String({ maxLength: 128 }), { description });

/** What a server is made of, as far as deployments depend on it. Null is what its daemon could not find out. */
export const Fingerprint = Type.Object(
  {
    engine: word('Name of the container engine.'),
    engine_version: word('Its version.'),
    api_version: word('The version of its interface that its daemon speaks.'),
    engine_problem: nullable(Type.String({ maxLength: 500 }), {
      description: 'Why nothing can be deployed with this engine; null if something can.',
    }),
    os: word('Operating system, as images name it.'),
    arch: word('Processor, as images name it.'),
    cgroup: word('Version of the control groups.'),
    storage_driver: word('How the engine keeps images and containers.'),
    rootless: nullable(Type.Boolean(), { description: 'Whether the engine runs without root.' }),
    gpu_runtime: word('What gives containers graphics processors; null where nothing does.'),
    caddy_version: word('Of the Caddy that serves routes; null where routes cannot be served.'),
  },
  { title: 'Fingerprint' },
);
export type Fingerprint = Static<typeof Fingerprint>;

/** What a daemon may say of it: anything may be missing, and what is added is ignored. */
export const ReportedFingerprint = Type.Partial(Fingerprint, { title: 'ReportedFingerprint' });
export type ReportedFingerprint = Static<typeof ReportedFingerprint>;

export interface Lack {
  /** The field of the fingerprint that says so. */
  readonly resource: 'engine_problem' | 'gpu_runtime' | 'caddy_version';
  readonly message: string;
}

/** What a manifest needs that the server is known not to have. The service asks before it orders, the daemon before it begins. */
export function lacksOf(
  { components, routes }: Pick<Manifest, 'components' | 'routes'>,
  found: Pick<Fingerprint, 'engine_problem' | 'gpu_runtime' | 'caddy_version'>,
): Lack[] {
  const lacks: Lack[] = [];
  if (found.engine_problem !== null)
    lacks.push({ resource: 'engine_problem', message: `its engine cannot be used: ${found.engine_problem}` });
  const drawing = components.filter(({ gpu }) => gpu !== undefined).map(({ name }) => name);
  if (drawing.length > 0 && found.gpu_runtime === null)
    lacks.push({
      resource: 'gpu_runtime',
      message: `${drawing.join(', ')} needs a GPU, and nothing there gives containers one (the NVIDIA container toolkit does)`,
    });
  const routed = new Set(routes.map(({ component }) => component));
  const several = components.filter(({ name, replicas }) => replicas > 1 && routed.has(name)).map(({ name }) => name);
  if (several.length > 0 && found.caddy_version === null)
    lacks.push({
      resource: 'caddy_version',
      message: `${several.join(', ')} has several replicas behind a route, and no Caddy is there to spread requests`,
    });
  return lacks;
}
