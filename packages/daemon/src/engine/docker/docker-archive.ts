import type { Readable } from 'node:stream';
import type { ContainerFile } from '../container-spec.ts';
import type { PathFacts } from '../engine.ts';
import { EngineProblem } from '../engine-problem.ts';
import type { DockerApi } from './docker-api.ts';
import { objectPath } from './object-path.ts';
import { tarOf } from './tar.ts';

export async function putFiles(api: DockerApi, id: string, files: readonly ContainerFile[]): Promise<void> {
  if (files.length === 0) return;
  const operation = `copy ${files.length} files into container ${id}`;
  const path = `${objectPath('containers', id, operation)}/archive`;
  let body: Buffer;
  try {
    body = tarOf(files);
  } catch (cause) {
    throw new EngineProblem({ operation, kind: 'invalid', detail: (cause as Error).message, cause });
  }
  await api.call({ operation, method: 'PUT', path, query: { path: '/' }, body, timeout: api.timeouts.heavy });
}

export async function readArchive(api: DockerApi, id: string, path: string, signal?: AbortSignal): Promise<Readable> {
  const operation = `read ${path} of container ${id}`;
  return await api.stream({
    operation,
    method: 'GET',
    path: `${objectPath('containers', id, operation)}/archive`,
    query: { path },
    timeout: api.timeouts.silence,
    signal,
  });
}

export async function pathFacts(api: DockerApi, id: string, path: string): Promise<PathFacts> {
  const operation = `read the attributes of ${path} in container ${id}`;
  const { headers } = await api.call({
    operation,
    method: 'HEAD',
    path: `${objectPath('containers', id, operation)}/archive`,
    query: { path },
    timeout: api.timeouts.quick,
  });
  try {
    const said = Buffer.from(String(headers['x-docker-container-path-stat']), 'base64').toString('utf8');
    const { size, mtime } = JSON.parse(said) as { size: number; mtime: string };
    return { sizeBytes: size, changedAt: mtime };
  } catch (cause) {
    throw new EngineProblem({ operation, kind: 'failed', detail: 'the engine sent no attributes', cause });
  }
}

export async function writeArchive(
  api: DockerApi,
  id: string,
  path: string,
  archive: Readable,
  signal?: AbortSignal,
): Promise<void> {
  const operation = `write into ${path} of container ${id}`;
  try {
    const response = await api.stream({
      operation,
      method: 'PUT',
      path: `${objectPath('containers', id, operation)}/archive`,
      query: { path },
      content: archive,
      timeout: api.timeouts.silence,
      signal,
    });
    // The body is empty; its end confirms that everything was written.
    for await (const _ of response);
  } catch (error) {
    // If the source failed, the engine only reports a premature end.
    const broken = signal?.aborted ? undefined : archive.errored;
    archive.destroy();
    throw broken ?? error;
  }
}
