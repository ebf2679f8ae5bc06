import { randomBytes } from 'node:crypto';
import { type IdKind, idPrefixes } from '@hortus/contract/ids';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** For a deployment that this daemon makes by itself. */
export const newDeploymentId = (now = Date.now()): string => ownId('deployment', now);

/** For a run of a scheduled job, which nobody ordered. */
export const newExecutionId = (now = Date.now()): string => ownId('execution', now);

/** An id in the service's form: it sorts by time as the others do. */
function ownId(kind: IdKind, now: number): string {
  let time = '';
  for (let left = now, i = 0; i < 10; i++) {
    time = alphabet[left % 32] + time;
    left = Math.floor(left / 32);
  }
  const rest = [...randomBytes(13)].map((byte) => alphabet[byte & 31]).join('');
  return `${idPrefixes[kind]}_${time}000${rest}`;
}
