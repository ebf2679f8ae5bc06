import { deploymentMachine } from '@hortus/contract/machines/deployment';
import type { Deployment } from '@hortus/contract/resources/deployment-records';

export const isFinal = (status: Deployment['status']): boolean =>
  (deploymentMachine.final as readonly string[]).includes(status);

const READ_LAST_LINES =
  'The lines below are the last that the container wrote; they usually name the cause. Correct an input and deploy again.';

/** What a person can do about a failure, by its reason. The error itself says what happened. */
const ADVICE: Readonly<Record<string, string>> = {
  unhealthy: READ_LAST_LINES,
  exited: READ_LAST_LINES,
  job_failed: READ_LAST_LINES,
  deadline: 'Nothing moved for as long as its template allows. Look for the last step that began, and deploy again.',
  cancelled: 'It was cancelled. Deploy again whenever you like.',
  refused:
    'The policy of the server does not allow what the template asks for. Its operator allows it in the settings of the daemon.',
  image:
    'The server could not pull the image. Check its name and tag in the template, the network of the server, and the password of the registry.',
  name_taken:
    'Something else on the server has the name of one of its containers. Rename or remove that, and deploy again.',
  route_taken:
    'Another instance on the server serves this address. Choose another address, or release the other instance.',
  network_pool:
    'The server has no address range left for its network. Release instances there, or choose another server.',
  disk_full: 'Free some space on the server, for example by pruning leftovers, and deploy again.',
  irreversible:
    'A job may have changed data, so nothing was rolled back. Restore the backup from before, or correct it and deploy again.',
  backup: 'The backup before it failed, so nothing was changed. Make a backup by hand to see why.',
  restore: 'The data could not be restored, so nothing else was changed. Verify the backup.',
};

export const adviceFor = (reason: string | null): string =>
  ADVICE[reason ?? ''] ?? 'Correct the cause and deploy again.';
