import { readFileSync } from 'node:fs';

export type OsUser = { uid: number; gid: number };

/** Returns a user to run PostgreSQL as, which refuses to run as root; undefined if this process is not root. */
export function unprivilegedUser(): OsUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const entry = users.find(([name]) => name === wanted);
    if (entry) return { uid: Number(entry[2]), gid: Number(entry[3]) };
  }
  throw new Error('PostgreSQL cannot run as root, and neither the user postgres nor the user nobody exists');
}
