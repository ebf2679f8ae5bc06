// Words that identifiers and file names do not use, and the usual word for each: a search for the usual word must find the place.
import { mask } from './source-imports.ts';

interface AvoidedWord {
  readonly pattern: RegExp;
  readonly instead: string;
}

const avoidedInIdentifiers: readonly AvoidedWord[] = [
  { pattern: /^(MOST|LONGEST|LARGEST)(_|$)|^most([A-Z]|$)/, instead: 'max, MAX_' },
  { pattern: /^(LEAST|FEWEST|SHORTEST|SMALLEST)(_|$)|^least([A-Z]|$)/, instead: 'min, MIN_' },
  { pattern: /^_?answer|Answer|_ANSWER|^ANSWER/, instead: 'response, respond, reply, handle' },
  { pattern: /^given(?!Up)|[a-z]Given(?!Up)|^Given(?!Up)/, instead: 'input, args, params, overrides' },
  {
    pattern: /^(told|heard|hear|tell|telling)([A-Z]|$)|[a-z](Told|Heard)([A-Z]|$)/,
    instead: 'notify, report, receive',
  },
  { pattern: /patience/i, instead: 'timeout' },
  { pattern: /^fates?([A-Z]|$)|Fates?([A-Z]|$)/, instead: 'decision' },
  { pattern: /foret(ell|old)/i, instead: 'predict' },
  { pattern: /^looks?(_MS)?$|^LOOK_|^look(At|After|Now|For|On|Every)/, instead: 'poll, check' },
  { pattern: /stranger|turnstile|doorway|^sideDoor$|[a-z]Door([A-Z]|$)/i, instead: 'unauthenticated, limit, handler' },
  { pattern: /^Standing$/, instead: 'the state of what' },
  { pattern: /^one$/, instead: 'the noun' },
];

export const avoidedInFileNames: readonly AvoidedWord[] = [
  { pattern: /^kept-/, instead: 'cached-, stored-' },
  { pattern: /^left-/, instead: 'leftover-' },
  {
    pattern: /^(own|whole|meant|given|told|heard|said|most|longest|largest)(-|\.|$)/,
    instead: 'the usual word for it',
  },
  {
    pattern: /answers?|patience|fates?\b|foret(ell|old)|stranger|turnstile|door/,
    instead: 'response, timeout, decision, limit',
  },
];

/** Names of the published interface, of columns and of fields that other programs send: they stay. */
const published = new Set([
  'AssistantAnswer',
  'EvacuationAnswer',
  'MigrationAnswer',
  'answer_tokens',
  'answerTokens',
  'BAD_ANSWER',
]);

/** Fields with a published name, and the files that use them. */
const publishedFields: ReadonlyMap<string, RegExp> = new Map([
  ['answer', /copilot|assistant|commands\/ask|openapi\/examples/],
  ['told', /notifications/],
  ['given', /daemon-updates/],
]);

export interface Finding {
  readonly line: number;
  readonly name: string;
  readonly instead: string;
}

/** Lists the identifiers of a source file that have a usual word. Texts and comments are not read. */
export function avoidedNames(path: string, source: string): Finding[] {
  const { bare } = mask(source);
  const found: Finding[] = [];
  const report = (offset: number, name: string, instead: string) =>
    found.push({ line: bare.slice(0, offset).split('\n').length, name, instead });
  // Between the tags of a page stands text, so only declarations are read there.
  const identifiers = path.endsWith('x')
    ? /(?<=\b(?:const|let|function|class|interface|type) )[A-Za-z_]\w*/g
    : /(?<![\w$])[A-Za-z_]\w*/g;
  for (const { 0: name, index } of bare.matchAll(identifiers)) {
    if (published.has(name) || publishedFields.get(name)?.test(path)) continue;
    const avoided = avoidedInIdentifiers.find(({ pattern }) => pattern.test(name));
    if (avoided) report(index, name, avoided.instead);
  }
  for (const { index } of bare.matchAll(/(?<=[(,]\s*)\.\.\.of\b(?=\s*[:)])/g)) report(index, '...of', '...args');
  return found;
}
