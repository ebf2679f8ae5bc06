/** Shorter values are words that stand everywhere; hiding them would make a log unreadable and protect nothing. */
const SHORTEST = 6;
const HIDDEN = '***';
/** The marks around a key in PEM are in every such key. */
const FRAME = /^-----/;

export type Mask = (text: string) => string;

/**
 * Hides secret values in what a daemon reports. Programs print their addresses and settings when they fail, so a value is
 * looked for in the forms in which templates and programs write it as well: line by line, percent-encoded, in base64 and
 * inside a JSON text.
 */
export function maskOf(values: readonly string[]): Mask {
  const forms = new Set(values.flatMap(formsOf).filter((form) => form.length >= SHORTEST));
  if (forms.size === 0) return (text) => text;
  // Of two that begin at the same place the longer one is taken, or its end would stay.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((form) => RegExp.escape(form)).join('|'), 'g');
  return (text) => text.replace(pattern, HIDDEN);
}

function formsOf(value: string): string[] {
  const lines = value
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => !FRAME.test(line));
  // What is too short to be hidden as it is does not become a secret by being written at greater length.
  if (value.length < SHORTEST) return [];
  return [
    value,
    ...lines,
    encodeURIComponent(value.toWellFormed()),
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
    JSON.stringify(value).slice(1, -1),
  ];
}
