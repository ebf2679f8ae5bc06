import type { Manifest } from '@hortus/contract/template/manifest';
import type { Queries } from '../../storage/storage.ts';
import type { ServerState } from '../servers/public.ts';

// What several files of deployments need of other resources; wiring/ provides it.

/** Reads whether a server is there and connected. */
export type ReadServerState = (queries: Queries, accountId: string, id: string) => Promise<ServerState | undefined>;

export interface ManifestsOfDeployments {
  resolve(
    queries: Queries,
    accountId: string,
    definitionId: string,
    revision: number,
  ): Promise<{ readonly manifest: Manifest; readonly secretPaths: readonly string[] }>;
  deadlineMs(queries: Queries, definitionId: string, revision: number): Promise<number>;
}
