import type { DaemonUpdate, UpdateTarget } from '@hortus/contract/resources/daemon-updates';
import type { Tone } from '../../parts/status.tsx';

export const updateTones: Readonly<Record<DaemonUpdate['status'], Tone>> = {
  running: 'now',
  halted: 'warn',
  completed: 'ok',
  failed: 'bad',
  cancelled: 'idle',
};

export const targetTones: Readonly<Record<UpdateTarget['status'], Tone>> = {
  queued: 'wait',
  ordered: 'now',
  downloading: 'now',
  verified: 'now',
  trying: 'now',
  done: 'ok',
  returned: 'bad',
  refused: 'bad',
  unreachable: 'bad',
  cancelled: 'idle',
};
