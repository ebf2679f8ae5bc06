import { readFileSync } from 'node:fs';

/** Lists the processes below a process whose command line contains a text, by their ids. */
export function descendants(pid: number, commandPart: string): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [
    ...(read(`/proc/${child}/cmdline`).includes(commandPart) ? [child] : []),
    ...descendants(child, commandPart),
  ]);
}

/** A process may end at any moment. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
