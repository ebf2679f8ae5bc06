import type { Confirmation } from '@hortus/contract/resources/confirmations';
import type { Tone } from '../../parts/status.tsx';

export const confirmationTones: Readonly<Record<Confirmation['status'], Tone>> = {
  pending: 'wait',
  confirmed: 'now',
  done: 'ok',
  failed: 'bad',
  rejected: 'idle',
  expired: 'idle',
};
