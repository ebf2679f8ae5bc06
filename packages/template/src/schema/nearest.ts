/** Optimal string alignment distance: a swap of neighbours counts as one error. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** Returns the known word that was probably meant, if one is close enough. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  // A long word is not a misspelling of a known one, and the comparison costs its length squared.
  if (word.length > 64) return undefined;
  let best: string | undefined;
  let min = Math.floor(Math.max(word.length, 3) / 3) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= min) continue;
    const found = distance(word.toLowerCase(), candidate.toLowerCase());
    if (found < min) {
      best = candidate;
      min = found;
    }
  }
  return best;
}

export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const found = nearest(word, known);
  return found === undefined ? undefined : `did you mean ${JSON.stringify(found)}?`;
}
