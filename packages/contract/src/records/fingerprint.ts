import Type, { type Static } from 'typebox';
import type { Manifest } from '../template/manifest.ts';
import { nullable } from './fields.ts';

const word = (description: string) => nullable(Type.String({ maxLength: 128 }), { description });

/** Properties of a server on which deployments depend. Null if its daemon could not determine the value. */
export const Fingerprint = Type.Object(
  {
    engine: word('Name of the container engine.'),
    engine_version: word('Version of the container engine.'),
    api_version: word('Version of the engine API that the daemon uses.'),
    engine_problem: nullable(Type.String({ maxLength: 500 }), {
      description: 'Why the engine cannot be used for deployments; null if it can.',
    }),
    os: word('Operating system, in the notation of image platforms.'),
    arch: word('Architecture, in the notation of image platforms.'),
    cgroup: word('Version of cgroups.'),
    storage_driver: word('Storage driver of the engine.'),
    rootless: nullable(Type.Boolean(), { description: 'Whether the engine runs without root.' }),
    gpu_runtime: word('Container runtime with GPU support; null if there is none.'),
    caddy_version: word('Version of the Caddy that serves routes; null if routes cannot be served.'),
  },
  { title: 'Fingerprint' },
);
export type Fingerprint = Static<typeof Fingerprint>;

/** The fingerprint as reported by a daemon: every field is optional and unknown fields are ignored. */
export const ReportedFingerprint = Type.Partial(Fingerprint, { title: 'ReportedFingerprint' });
export type ReportedFingerprint = Static<typeof ReportedFingerprint>;

export interface Lack {
  /** The field of the fingerprint that shows the lack. */
  readonly resource: 'engine_problem' | 'gpu_runtime' | 'caddy_version';
  readonly message: string;
}

/**
 * Returns the requirements of a manifest that the server is known not to meet. The service checks before it orders a
 * deployment, the daemon before it starts one.
 */
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
      message: `${drawing.join(', ')} needs a GPU, and the server has no GPU runtime; install the NVIDIA container toolkit there`,
    });
  const routed = new Set(routes.map(({ component }) => component));
  const several = components.filter(({ name, replicas }) => replicas > 1 && routed.has(name)).map(({ name }) => name);
  if (several.length > 0 && found.caddy_version === null)
    lacks.push({
      resource: 'caddy_version',
      message: `${several.join(', ')} has several replicas behind a route, and the server has no Caddy to distribute requests`,
    });
  return lacks;
}
