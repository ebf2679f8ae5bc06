import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { presentValues } from '@hortus/template/masking/present-values';
import { resolveProvisions } from '@hortus/template/resolution/provisions';
import { type Resolution, type ResolveOptions, resolve } from '@hortus/template/resolution/resolve';
import { workerJob } from '../../workers/job.ts';

/** A resolution with those of the known secrets that its manifest contains in some encoding. */
export type Filling = Exclude<Resolution, { ok: true }> | (Extract<Resolution, { ok: true }> & { hidden: string[] });

/** Resolves a template, and finds the secrets that the manifest contains: a server learns no others. */
export function fillTemplate(spec: Canonical, options: ResolveOptions, secrets: readonly string[]): Filling {
  const resolution = resolve(spec, options);
  return resolution.ok ? { ...resolution, hidden: presentValues(secrets, textsIn(resolution.manifest)) } : resolution;
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      yield name;
      yield* textsIn(inner);
    }
}

export const RESOLVE = workerJob('manifest.resolve', fillTemplate);

export const PROVISIONS = workerJob('manifest.provisions', resolveProvisions);
