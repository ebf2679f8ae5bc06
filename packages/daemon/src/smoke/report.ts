import type { SmokeResult } from './smoke.ts';

/** Characters shown of one text. */
const MAX_LINE_LENGTH = 500;

/** Formats one line per check for people; programs read the result itself. */
export function smokeReport({ checks }: SmokeResult): string {
  if (checks.length === 0) return 'The template declares no smoke test.\n';
  return checks
    .map(({ asked, expected, seen, passed, tookMs }) =>
      passed
        ? `passed  ${oneLine(asked)}: ${oneLine(seen)} (${tookMs} ms)\n`
        : `failed  ${oneLine(asked)}: expected ${oneLine(expected)}, saw ${oneLine(seen)} (${tookMs} ms)\n`,
    )
    .join('');
}

/** Returns the first failure as a sentence. */
export function smokeFailure({ checks }: SmokeResult): string | undefined {
  const first = checks.find(({ passed }) => !passed);
  if (first === undefined) return undefined;
  return `${oneLine(first.asked)}: expected ${oneLine(first.expected)}, saw ${oneLine(first.seen)}.`;
}

function oneLine(text: string): string {
  const words = text.replaceAll(/\s+/g, ' ').trim();
  return words.length > MAX_LINE_LENGTH ? `${words.slice(0, MAX_LINE_LENGTH)}…` : words;
}
