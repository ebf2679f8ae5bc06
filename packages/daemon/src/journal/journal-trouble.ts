/** Of a failure that is one of the state directory, mostly that its disk is full: what a person should know. */
export function journalTrouble(error: unknown, directory: string): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_SQLITE_ERROR' && code !== 'ENOSPC') return undefined;
  return `The daemon cannot write its journal in ${directory} (${message}), so it has started nothing. Make room there and try again.`;
}
