import type { Terminal } from '../world/terminal.ts';

const codes = { dim: 2, bold: 1, good: 32, warn: 33, bad: 31, live: 35 } as const;
export type Tone = keyof typeof codes;

export const paint = ({ colour }: Pick<Terminal, 'colour'>, tone: Tone | undefined, text: string): string =>
  colour && tone !== undefined && text !== '' ? `\u001b[${codes[tone]}m${text}\u001b[0m` : text;
