import type { GardenFiles } from '@hortus/contract/resources/gardens';
import type { Garden } from '@hortus/garden/format';
import { type ReferencePlace, withoutReferences } from '@hortus/garden/unresolved-references';
import type { Queries } from '../../../storage/storage.ts';
import type { Vault } from '../../../vault/vault.ts';
import { openFiles } from './secrets.ts';
import type { CommitRow } from './store.ts';

/** The files of a commit as a client would send them. */
export interface CommitFiles {
  readonly name: string;
  readonly body: GardenFiles;
  /** References, which keep their stored values. */
  readonly kept: readonly ReferencePlace[];
}

/** Undefined if the files of the commit are not kept any more. */
export async function commitFiles(
  vault: Pick<Vault, 'decrypt'>,
  queries: Queries,
  row: CommitRow,
): Promise<CommitFiles | undefined> {
  const files = await openFiles(vault, queries, row);
  if (!files) return undefined;
  const { garden, places } = withoutReferences(files.garden as Garden);
  return {
    name: garden.name,
    body: { garden, templates: [...files.templates], prune: row.prune === 1 },
    kept: places,
  };
}
