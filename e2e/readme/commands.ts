export interface Command {
  /** Command as written in the README. */
  readonly text: string;
  /** Answer shown below it in the README. */
  readonly output: string | undefined;
}

/** Reads the blocks marked `sh run`, each with its following `output` block. */
export function commandsOf(markdown: string): Command[] {
  const blocks = [...markdown.matchAll(/^```(\w+) (run|answer)\n(.*?)^```$/gms)].map(([, , role, text = '']) => ({
    role,
    text,
  }));
  return blocks.flatMap(({ role, text }, at) => {
    if (role !== 'run') return [];
    const next = blocks[at + 1];
    return [{ text, output: next?.role === 'answer' ? next.text : undefined }];
  });
}

/** Returns the first piece of the shown answer that is missing in the real one, in order; undefined if none is. */
export function missingPiece(shown: string, real: string): string | undefined {
  const text = withoutChance(real);
  let from = 0;
  for (const piece of withoutChance(shown).split('…')) {
    const wanted = piece.trim();
    const found = text.indexOf(wanted, from);
    if (found < 0) return wanted;
    from = found + wanted.length;
  }
  return undefined;
}

/** Replaces ids, times and durations, which differ each time. */
const withoutChance = (text: string): string =>
  text
    .replace(/\b([a-z]{3})_[0-9a-z]{26}\b/g, '$1_ID')
    .replace(/\b\d\d:\d\d:\d\d\b/g, 'TIME')
    .replace(/\b\d+(\.\d+)? (ms|s)\b/g, 'DURATION');
