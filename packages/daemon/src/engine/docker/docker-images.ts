import type { ImageFacts, PullOptions, PullProgress } from '../engine.ts';
import { EngineProblem } from '../engine-problem.ts';
import type { DockerApi } from './docker-api.ts';
import { checkedReference, pullParameters } from './image-reference.ts';
import { jsonLines } from './json-lines.ts';

/** Bytes of an image's description. Each of its containers repeats it, in every check and every event. */
const MAX_DESCRIPTION = 256 * 1024;

export async function hasImage(api: DockerApi, ref: string): Promise<boolean> {
  const { status } = await api.call(imageCall(api, ref), [404]);
  return status === 200;
}

export async function imageDigests(api: DockerApi, ref: string): Promise<string[]> {
  return (await api.json<ImageResponse>(imageCall(api, ref))).RepoDigests ?? [];
}

export async function readImage(api: DockerApi, ref: string): Promise<ImageFacts | undefined> {
  const call = imageCall(api, ref);
  const { status, body } = await api.call(call, [404]);
  if (status === 404) return undefined;
  if (body.length > MAX_DESCRIPTION) {
    const detail = `its labels, variables and volumes have ${body.length} bytes; at most ${MAX_DESCRIPTION} are read`;
    throw new EngineProblem({ operation: call.operation, kind: 'invalid', detail });
  }
  const { Id, Os = '', Architecture = '', RepoDigests, Config } = JSON.parse(body.toString('utf8')) as ImageResponse;
  return {
    id: Id,
    platform: { os: Os, arch: Architecture },
    digests: RepoDigests ?? [],
    env: Config?.Env ?? [],
    labels: Config?.Labels ?? {},
    volumes: Object.keys(Config?.Volumes ?? {}),
  };
}

export async function imagesInUse(api: DockerApi): Promise<string[]> {
  const list = await api.json<{ ImageID: string }[]>({
    operation: 'list used images',
    method: 'GET',
    path: '/containers/json',
    query: { all: 'true' },
    timeout: api.timeouts.quick,
  });
  return list.map(({ ImageID }) => ImageID);
}

/** Without force, so that the engine keeps images of existing containers. */
export async function removeImage(api: DockerApi, ref: string): Promise<void> {
  const operation = `remove image ${ref}`;
  const path = `/images/${checkedReference(ref, operation)}`;
  await api.call({ operation, method: 'DELETE', path, timeout: api.timeouts.heavy }, [404]);
}

function imageCall(api: DockerApi, ref: string) {
  const operation = `read image ${ref}`;
  const path = `/images/${/^sha256:[0-9a-f]{64}$/.test(ref) ? ref : checkedReference(ref, operation)}/json`;
  return { operation, method: 'GET', path, timeout: api.timeouts.quick } as const;
}

/** Used fields of `GET /images/{name}/json`. */
interface ImageResponse {
  Id: string;
  Os?: string;
  Architecture?: string;
  RepoDigests?: string[] | null;
  Config?: {
    Env?: string[] | null;
    Labels?: Record<string, string> | null;
    Volumes?: Record<string, unknown> | null;
  } | null;
}

export async function importImage(api: DockerApi, ref: string, archive: Buffer): Promise<void> {
  const operation = `import image ${ref}`;
  const { fromImage: repo, tag } = pullParameters(checkedReference(ref, operation));
  // The tag is part of the name, because Podman ignores a separate one.
  const query = { fromSrc: '-', repo: `${repo}:${tag}` };
  const call = { operation, method: 'POST', path: '/images/create', query, timeout: api.timeouts.heavy } as const;
  const { body } = await api.call({ ...call, body: archive });
  for await (const line of jsonLines<PullLine>(once(body))) {
    if (line.error !== undefined) throw new EngineProblem({ operation, kind: 'failed', detail: line.error });
  }
}

export async function loadImages(api: DockerApi, archive: Buffer): Promise<void> {
  const operation = 'load an image';
  const { body } = await api.call({
    operation,
    method: 'POST',
    path: '/images/load',
    query: { quiet: 'true' },
    body: archive,
    timeout: api.timeouts.heavy,
  });
  for await (const line of jsonLines<PullLine>(once(body))) {
    if (line.error !== undefined) throw new EngineProblem({ operation, kind: 'failed', detail: line.error });
  }
}

async function* once(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}

interface PullLine {
  status?: string;
  id?: string;
  progressDetail?: { current?: number; total?: number };
  error?: string;
}

/** A pull responds with 200 at once; the stream tells whether it succeeded. */
export async function pullImage(
  api: DockerApi,
  ref: string,
  on: (progress: PullProgress) => void,
  { auth, signal }: PullOptions,
): Promise<void> {
  const operation = `pull image ${ref}`;
  const stream = await api.stream({
    operation,
    method: 'POST',
    path: '/images/create',
    query: pullParameters(checkedReference(ref, operation)),
    ...(auth ? { headers: { 'x-registry-auth': Buffer.from(JSON.stringify(auth)).toString('base64url') } } : {}),
    timeout: api.timeouts.silence,
    signal,
  });
  try {
    for await (const line of jsonLines<PullLine>(stream)) {
      if (line.error !== undefined) throw new EngineProblem({ operation, kind: 'failed', detail: line.error });
      const { current, total } = line.progressDetail ?? {};
      on({
        status: line.status ?? '',
        ...(line.id === undefined ? {} : { layer: line.id }),
        ...(current === undefined ? {} : { current }),
        ...(total === undefined ? {} : { total }),
      });
    }
  } catch (cause) {
    if (cause instanceof EngineProblem || signal?.aborted) throw cause;
    throw new EngineProblem({ operation, kind: 'unreachable', detail: 'the engine broke the stream off', cause });
  }
}
