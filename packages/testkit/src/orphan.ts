import { existsSync } from 'node:fs';

const setpriv = '/usr/bin/setpriv';

/**
 * The same command, but the kernel sends it `signal` when the process that started it is gone, however that happened. So a
 * test run that is killed outright leaves no engine behind. Where setpriv is missing (not Debian) the command runs plainly.
 */
export function endingWithParent(argv: readonly string[], signal: NodeJS.Signals): string[] {
  return existsSync(setpriv) ? [setpriv, '--pdeathsig', signal.slice('SIG'.length), ...argv] : [...argv];
}
