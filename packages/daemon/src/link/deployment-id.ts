import { randomBytes } from 'node:crypto';
import { idPrefixes } from '@hortus/contract/ids';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** An id in the service's form, for a deployment that this daemon makes by itself: it sorts by time as the others do. */
export function newDeploymentId(now = Date.now()): string {
  let time = '';
  for (let left = now, i = 0; i < 10; i++) {
    time = alphabet[left % 32] + time;
    left = Math.floor(left / 32);
  }
  const rest = [...randomBytes(13)].map((byte) => alphabet[byte & 31]).join('');
  return `${idPrefixes.deployment}_${time}000${rest}`;
}
