import { deploymentMachine } from '@hortus/contract/machines/deployment';
import type { Deployment } from '@hortus/contract/resources/deployment-records';

export const isFinal = (status: Deployment['status']): boolean =>
  (deploymentMachine.final as readonly string[]).includes(status);

/** What a person can do about a failure, by its reason. The error itself says what happened. */
const ADVICE: Readonly<Record<string, string>> = {
  unhealthy:
    'The lines below are the last that the container wrote; they usually name the cause. Correct an input and deploy again.',
  deadline: 'Nothing moved for as long as its template allows. Look for the last step that began, and deploy again.',
  cancelled: 'Somebody cancelled it. Deploy again whenever you like.',
  refused:
    'The policy of the server does not allow what the template asks for. Its operator allows it in the settings of the daemon.',
  backup: 'The backup before it failed, so nothing was changed. Make a backup by hand to see why.',
  restore: 'The data could not be restored, so nothing else was changed. Verify the backup.',
};

export const adviceFor = (reason: string | null): string =>
  ADVICE[reason ?? ''] ?? 'The log below says which step failed. Correct the cause and deploy again.';
