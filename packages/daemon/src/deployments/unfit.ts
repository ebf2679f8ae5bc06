import { type Fingerprint, lacksOf } from '@hortus/contract/records/fingerprint';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { RolloutResult } from '../journal/rollout-result.ts';
import { failed } from './acceptance.ts';

/** A server without features: a manifest that lacks nothing here needs no further check. */
const NOTHING = { engine_problem: null, gpu_runtime: null, caddy_version: null };

/** Checks the requirements again; the server may have changed since the service checked them. */
export async function unfit(
  manifest: SignedManifest,
  fingerprint: () => Promise<Fingerprint | undefined>,
): Promise<RolloutResult | undefined> {
  if (lacksOf(manifest, NOTHING).length === 0) return undefined;
  const found = await fingerprint();
  const lacks = found ? lacksOf(manifest, found) : [];
  if (lacks.length === 0) return undefined;
  return failed('unsupported', `This server cannot run it: ${lacks.map(({ message }) => message).join('; ')}.`);
}
