import type { UpdateOrder } from '@hortus/contract/releases/daemon-update';

const matches = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);
const isBetween = (value: unknown, min: number, max: number): boolean =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max;

/** Checks the form of an order to update; its values become paths and addresses. */
export function isUpdateOrder(message: Record<string, unknown>): boolean {
  const { update_id, path, size, release, allow_downgrade, trial_seconds } = message;
  return (
    matches(update_id, /^[A-Za-z0-9_-]{1,100}$/) &&
    matches(path, /^\/implant\/[a-z0-9]{1,20}\/[a-z0-9]{1,20}\/download$/) &&
    isBetween(size, 1, 2 ** 30) &&
    isRelease(release) &&
    (allow_downgrade === undefined || typeof allow_downgrade === 'boolean') &&
    (trial_seconds === undefined || isBetween(trial_seconds, 5, 600))
  );
}

function isRelease(release: unknown): boolean {
  if (typeof release !== 'object' || release === null) return false;
  const { file, version, sha256, key_id, signature } = release as Record<string, unknown>;
  return (
    matches(file, /^[A-Za-z0-9._-]{1,100}$/) &&
    matches(version, /^\d{1,9}\.\d{1,9}\.\d{1,9}[0-9A-Za-z.+-]{0,64}$/) &&
    matches(sha256, /^[0-9a-f]{64}$/) &&
    (key_id === undefined || matches(key_id, /^[0-9a-f]{16}$/)) &&
    matches(signature, /^[A-Za-z0-9+/=]{1,200}$/)
  );
}

/** Takes the fields of the order, without its proof, for the record of the update. */
export const updateOrderIn = ({ update_id, path, size, release, ...message }: UpdateOrder): UpdateOrder => ({
  update_id,
  path,
  size,
  release,
  ...(message.allow_downgrade !== undefined && { allow_downgrade: message.allow_downgrade }),
  ...(message.trial_seconds !== undefined && { trial_seconds: message.trial_seconds }),
});
