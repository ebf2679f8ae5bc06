import type { GardenRun } from '@hortus/contract/resources/garden-records';
import type { GardenCommit } from '@hortus/contract/resources/garden-source-records';
import { Status, type Tone } from '../../parts/status.tsx';

const COMMIT_TONES: Readonly<Record<GardenCommit['status'], Tone>> = {
  found: 'wait',
  planned: 'wait',
  waiting: 'warn',
  approved: 'wait',
  applying: 'now',
  applied: 'ok',
  failed: 'bad',
  rejected: 'idle',
  broken: 'bad',
  superseded: 'idle',
};

const RUN_TONES: Readonly<Record<GardenRun['status'], Tone>> = {
  planned: 'wait',
  waiting: 'warn',
  applying: 'now',
  succeeded: 'ok',
  failed: 'bad',
  superseded: 'idle',
};

/** State of a commit; what it waits for is said. */
export const CommitStatus = ({ status }: { status: GardenCommit['status'] }) => (
  <Status state={status} tone={COMMIT_TONES[status]}>
    {status === 'waiting' ? 'Waits for approval' : undefined}
  </Status>
);

export const RunStatus = ({ status }: { status: GardenRun['status'] }) => (
  <Status state={status} tone={RUN_TONES[status]} />
);
