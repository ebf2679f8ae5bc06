import { readdirSync, readFileSync } from 'node:fs';

/** Returns a function with the processor time, in seconds, that all threads of these processes have used since this call. */
export function processorTimeOf(pids: () => readonly number[]): () => number {
  const before = usedBy(pids());
  return () => {
    let nanoseconds = 0;
    for (const [thread, used] of usedBy(pids())) nanoseconds += used - (before.get(thread) ?? 0);
    return nanoseconds / 1e9;
  };
}

/** Lists the processes of PostgreSQL that serve a database: their titles contain its name. */
export const backendsOf = (database: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readIfThere(`/proc/${name}/cmdline`).startsWith('postgres: '))
    .filter((name) => readIfThere(`/proc/${name}/cmdline`).includes(` ${database} `))
    .map(Number);

function usedBy(pids: readonly number[]): Map<string, number> {
  const threads = pids.flatMap((pid) => threadsOf(pid).map((thread) => `/proc/${pid}/task/${thread}/schedstat`));
  return new Map(threads.map((file) => [file, Number(readIfThere(file).split(' ')[0])]));
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Returns an empty text if the process or thread has ended. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
