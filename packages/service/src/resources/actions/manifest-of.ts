import type { Manifest } from '@hortus/contract/template/manifest';
import type { Queries } from '../../storage/storage.ts';

/** Resolves the manifest of a revision, with secrets decrypted. */
export type ManifestOf = (
  queries: Queries,
  accountId: string,
  definitionId: string,
  revision: number,
) => Promise<{ readonly manifest: Manifest }>;
