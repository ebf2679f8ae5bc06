import { UpdateRefusal } from './update-refusal.ts';

/** Turns trouble with the disk into a refusal that says what to do; keeps other errors. */
export function diskRefusal(cause: unknown, folder: string): unknown {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return noRoom(folder, message, { cause });
  if (['EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'EEXIST'].includes(code))
    return new UpdateRefusal(
      'read_only',
      `${folder} cannot be written to (${code}). Make the state directory writable, or replace the binary by hand.`,
      { cause },
    );
  return cause;
}

export const noRoom = (folder: string, why: string, options?: ErrorOptions): UpdateRefusal =>
  new UpdateRefusal(
    'disk_full',
    `The disk of ${folder} is too full for the new binary: ${why}. Free space there.`,
    options,
  );
