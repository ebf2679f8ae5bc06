import type { Delivery } from '@hortus/contract/resources/webhooks';
import type { Tone } from '../../parts/status.tsx';

/** States of a delivery, to a webhook or a notification channel, with their tones. */
export const deliveryTones: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'wait',
  delivered: 'ok',
  dead: 'bad',
};
export const deliveryStates = Object.keys(deliveryTones) as Delivery['status'][];
