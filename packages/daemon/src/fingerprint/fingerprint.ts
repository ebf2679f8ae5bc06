import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Fingerprint } from '@hortus/contract/records/fingerprint';
import type { Engine } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import type { Ingress } from '../ingress/ingress.ts';

export interface FingerprintSources {
  engine: Pick<Engine, 'info'>;
  ingress: Pick<Ingress, 'version'>;
  /** Search path for programs. */
  path?: string | undefined;
}

const unknown = {
  engine: null,
  engine_version: null,
  api_version: null,
  engine_problem: null,
  os: null,
  arch: null,
  cgroup: null,
  storage_driver: null,
  rootless: null,
  gpu_runtime: null,
};

/** Describes the server. Undefined while the engine does not respond, which means unknown, not absent. */
export async function fingerprintOf({
  engine,
  ingress,
  path = process.env.PATH,
}: FingerprintSources): Promise<Fingerprint | undefined> {
  const caddy_version = (await ingress.version()) ?? null;
  try {
    const info = await engine.info();
    return {
      engine: info.name,
      engine_version: info.version,
      api_version: info.apiVersion,
      engine_problem: null,
      os: info.os,
      arch: info.arch,
      cgroup: info.cgroup,
      storage_driver: info.storageDriver,
      rootless: info.rootless,
      gpu_runtime:
        info.runtimes.includes('nvidia') || isInstalled('nvidia-container-runtime-hook', path) ? 'nvidia' : null,
      caddy_version,
    };
  } catch (error) {
    // An engine of an unsupported version fails every call.
    if (!isEngineProblem(error, 'unsupported')) return undefined;
    return { ...unknown, engine_problem: error.message, caddy_version };
  }
}

/** Cache time: Podman takes a second to describe itself, and that rarely changes. */
const RECHECK_MS = 300_000;

export class Fingerprints {
  readonly #sources: FingerprintSources;
  #last: { readonly at: number; readonly found: Fingerprint } | undefined;

  constructor(sources: FingerprintSources) {
    this.#sources = sources;
  }

  async recent(): Promise<Fingerprint | undefined> {
    if (this.#last && performance.now() - this.#last.at < RECHECK_MS) return this.#last.found;
    return await this.now();
  }

  async now(): Promise<Fingerprint | undefined> {
    const found = await fingerprintOf(this.#sources);
    this.#last = found && { at: performance.now(), found };
    return found;
  }
}

/** Docker looks for this program when a GPU is requested, even without a runtime of that name. */
const isInstalled = (program: string, path: string | undefined): boolean =>
  (path ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, program)));
