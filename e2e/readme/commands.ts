export interface Command {
  /** As it stands in the README. */
  readonly text: string;
  /** The answer that the README shows below it. */
  readonly answer: string | undefined;
}

/** The blocks that are marked `sh run`, each with the block marked `answer` that follows it. */
export function commandsOf(markdown: string): Command[] {
  const blocks = [...markdown.matchAll(/^```(\w+) (run|answer)\n(.*?)^```$/gms)].map(([, , role, text = '']) => ({
    role,
    text,
  }));
  return blocks.flatMap(({ role, text }, at) => {
    if (role !== 'run') return [];
    const next = blocks[at + 1];
    return [{ text, answer: next?.role === 'answer' ? next.text : undefined }];
  });
}

/** The first piece of a shown answer that the real one does not have after the pieces before it; undefined if it has all. */
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

/** Ids, times and durations are different every time. */
const withoutChance = (text: string): string =>
  text
    .replace(/\b([a-z]{3})_[0-9a-z]{26}\b/g, '$1_ID')
    .replace(/\b\d\d:\d\d:\d\d\b/g, 'TIME')
    .replace(/\b\d+(\.\d+)? (ms|s)\b/g, 'DURATION');
