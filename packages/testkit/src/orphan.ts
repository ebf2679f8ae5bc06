import { existsSync } from 'node:fs';

const setpriv = '/usr/bin/setpriv';

/**
 * Wraps a command so that the kernel sends it `signal` when its parent dies, however that happens, so that a killed
 * test run leaves no engine behind. Without setpriv (not Debian) the command runs unchanged.
 */
export function endingWithParent(argv: readonly string[], signal: NodeJS.Signals): string[] {
  return existsSync(setpriv) ? [setpriv, '--pdeathsig', signal.slice('SIG'.length), ...argv] : [...argv];
}
