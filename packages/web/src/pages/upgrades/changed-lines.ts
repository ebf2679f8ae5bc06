/** Lines that a text loses and gains; equal lines at its beginning and end are left out. */
export function changedLines(from: string | null, to: string | null): { removed: string[]; added: string[] } {
  const [removed, added] = [linesOf(from), linesOf(to)];
  while (removed.length > 0 && added.length > 0 && removed[0] === added[0]) {
    removed.shift();
    added.shift();
  }
  while (removed.length > 0 && added.length > 0 && removed.at(-1) === added.at(-1)) {
    removed.pop();
    added.pop();
  }
  return { removed, added };
}

const linesOf = (text: string | null): string[] => (text === null ? [] : text.split('\n'));
