import { randomBytes } from 'node:crypto';
import { type IdKind, idPrefixes } from '@hortus/contract/ids';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Id of a deployment that this daemon starts by itself. */
export const newDeploymentId = (now = Date.now()): string => ownId('deployment', now);

/** Id of a run of a scheduled job. */
export const newExecutionId = (now = Date.now()): string => ownId('execution', now);

/** Creates an id in the form of the service, which sorts by time. */
function ownId(kind: IdKind, now: number): string {
  let time = '';
  for (let left = now, i = 0; i < 10; i++) {
    time = alphabet[left % 32] + time;
    left = Math.floor(left / 32);
  }
  const rest = [...randomBytes(13)].map((byte) => alphabet[byte & 31]).join('');
  return `${idPrefixes[kind]}_${time}000${rest}`;
}
