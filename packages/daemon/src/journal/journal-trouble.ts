/** Describes a failure of the state directory, usually a full disk, for the operator; undefined for other errors. */
export function journalTrouble(error: unknown, directory: string): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_SQLITE_ERROR' && code !== 'ENOSPC') return undefined;
  return `The daemon cannot write its journal in ${directory} (${message}), so nothing was started. Free some disk space and try again.`;
}
