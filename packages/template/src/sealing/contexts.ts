import type { SealingContext } from './sealed-fields.ts';

interface ManifestSubject {
  readonly server_id: string;
  readonly deployment_id: string | null;
  readonly definition_id: string;
  readonly revision: number;
  readonly spec_hash: string;
}

/** Service and daemon derive these contexts independently from signed data, so that neither has to trust the other. */
export const manifestContext = (manifest: ManifestSubject): SealingContext => ({
  kind: 'manifest',
  server_id: manifest.server_id,
  deployment_id: manifest.deployment_id,
  definition_id: manifest.definition_id,
  revision: manifest.revision,
  spec_hash: manifest.spec_hash,
});

interface OrderSubject {
  readonly type: string;
  readonly server_id?: string | undefined;
  readonly issued_at?: string | undefined;
  readonly execution_id?: string | undefined;
}

export const orderContext = ({ type, server_id, issued_at, execution_id }: OrderSubject): SealingContext => ({
  kind: type,
  server_id: server_id ?? null,
  issued_at: issued_at ?? null,
  execution_id: execution_id ?? null,
});

export const transferContext = ({ server_id, id }: { readonly server_id: string; readonly id: string }) => ({
  kind: 'transfer',
  server_id,
  id,
});
