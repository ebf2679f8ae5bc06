import { type Fingerprint, lacksOf } from '@hortus/contract/records/fingerprint';
import type { Manifest } from '@hortus/contract/template/manifest';
import { conflict } from '../../problem.ts';

/** Refuses a manifest that its server cannot run. A server without a fingerprint passes. */
export function requireFit(manifest: Pick<Manifest, 'components' | 'routes'>, found: Fingerprint | null): void {
  const lacking = found === null ? [] : lacksOf(manifest, found);
  if (lacking.length === 0) return;
  const reported = lacking.map(({ message }) => message).join('; ');
  throw conflict('definition_id', 'unsupported', `its server cannot run it: ${reported}.`, { lacking });
}
