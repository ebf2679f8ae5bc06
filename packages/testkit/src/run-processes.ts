import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { removeEngineFolder } from './engine-remains.ts';
import { until } from './until.ts';

/** Environment variable of an engine's keeper and of everything below it: they end by themselves and clean up. */
export const KEPT_ENGINE = 'HORTUS_KEPT_ENGINE';

const ENGINES_MS = 30_000;

interface RunProcess {
  readonly pid: number;
  readonly isEngine: boolean;
}

/**
 * Lists the processes of a test run by its temporary folder, which is in the environment that each of them inherits, or is
 * their working directory. Sessions, process groups and parents say less: daemons, Caddy and engines leave all three.
 */
export function processesOfRun(folder: string): RunProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
        if (!environment.includes(folder) && !`${readlinkSync(`/proc/${name}/cwd`)}/`.startsWith(`${folder}/`))
          return [];
        return [{ pid: Number(name), isEngine: environment.includes(`\0${KEPT_ENGINE}=`) }];
      } catch {
        // It has ended, or belongs to another user.
        return [];
      }
    });
}

/**
 * Ends an interrupted test run: its processes, then its folder. Kills them, because a busy worker ignores other signals; keepers
 * of engines see that their tests have ended, and get time to remove what an engine leaves in the system.
 */
export async function endRun(folder: string): Promise<void> {
  const describe = `the processes of ${folder} to end`;
  await until(() => killed(folder, ({ isEngine }) => !isEngine), { describe, within: ENGINES_MS, every: 20 }).catch(
    () => until(() => killed(folder, () => true), { describe, every: 20 }),
  );
  removeEngineFolder(folder);
}

/** Returns whether no process is left. Looks twice: a process may fork and end while the others are read. */
function killed(folder: string, isToKill: (process: RunProcess) => boolean): boolean {
  const found = [...processesOfRun(folder), ...processesOfRun(folder)];
  for (const process of found.filter(isToKill)) kill(process.pid);
  return found.length === 0;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
