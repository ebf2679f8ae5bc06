import { backupMachine } from '@hortus/contract/machines/backup';
import { deploymentMachine } from '@hortus/contract/machines/deployment';
import { evacuationMachine } from '@hortus/contract/machines/evacuation';
import { executionMachine } from '@hortus/contract/machines/execution';
import { gardenRunMachine } from '@hortus/contract/machines/garden-run';
import { importMachine } from '@hortus/contract/machines/import';
import { migrationMachine } from '@hortus/contract/machines/migration';
import { rehearsalMachine } from '@hortus/contract/machines/rehearsal';
import type { Calls, Client, Responses } from './client.ts';
import { waitFor } from './wait-for.ts';

/** Endpoints that read a record of work with an end. */
export type WorkName =
  | 'actions.read'
  | 'backups.read'
  | 'deployments.read'
  | 'evacuations.read'
  | 'gardens.run'
  | 'imports.read'
  | 'migrations.read'
  | 'rehearsals.read';

/** States in which the work is over. That of a backup can later be deleted. */
const endStates: Readonly<Record<WorkName, readonly string[]>> = {
  'actions.read': executionMachine.final,
  'backups.read': backupMachine.states.filter((state) => state !== 'pending'),
  'deployments.read': deploymentMachine.final,
  'evacuations.read': evacuationMachine.final,
  'gardens.run': gardenRunMachine.final,
  'imports.read': importMachine.final,
  'migrations.read': migrationMachine.final,
  'rehearsals.read': rehearsalMachine.final,
};

/**
 * Waits until a deployment, an action, a run of a garden or other work has ended, and returns its record. A failure is an end
 * too: look at the status. Limit the time with `AbortSignal.timeout(60_000)`.
 */
export function waitForEnd<Name extends WorkName>(
  client: Client,
  name: Name,
  id: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Responses[Name]> {
  const params = name === 'actions.read' ? { execution_id: id } : { id };
  const until = (response: unknown) => {
    const { data, execution = data } = response as { data?: Work; execution?: Work };
    return endStates[name].includes(execution?.status ?? '');
  };
  return waitFor(client, name, { params } as unknown as Calls[Name], { until, resourceId: id, ...options });
}

interface Work {
  readonly status: string;
}
