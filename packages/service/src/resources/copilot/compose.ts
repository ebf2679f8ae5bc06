import type { AssistantSource } from '@hortus/contract/resources/copilot';
import type { KnownPassage } from './knowledge.ts';
import { wordsThatMatter } from './question-words.ts';

const EXCERPT = 400;

const NOTHING_FOUND =
  'I found nothing about that, neither in the catalog nor in the documentation. Other words may help; GET /templates lists what can be deployed.';

/** Selects the sentences most relevant to the question, up to the excerpt length. */
function excerptOf(text: string, asked: ReadonlySet<string>): string {
  const sentences = text.split(/(?<=[.!?])\s+|\n/);
  const relevance = sentences.map((sentence) => wordsThatMatter(sentence).filter((word) => asked.has(word)).length);
  const best = [...sentences.keys()].sort((a, b) => (relevance[b] as number) - (relevance[a] as number) || a - b);
  const chosen = new Set<number>();
  let length = 0;
  for (const at of best) {
    const sentence = sentences[at] as string;
    if (length > 0 && length + sentence.length > EXCERPT) continue;
    chosen.add(at);
    length += sentence.length + 1;
  }
  const excerpt = [...chosen]
    .sort((a, b) => a - b)
    .map((at) => sentences[at])
    .join(' ');
  return excerpt.length <= EXCERPT ? excerpt : `${excerpt.slice(0, EXCERPT - 1)}…`;
}

export function sourcesOf(passages: readonly KnownPassage[], question: string): AssistantSource[] {
  const asked = new Set(wordsThatMatter(question));
  return passages.map(({ source, title, text }) => ({ ...source, title, excerpt: excerptOf(text, asked) }));
}

/** Answers without a model, by quoting the passages found with their references. */
export function composeReply(sources: readonly AssistantSource[]): string {
  if (sources.length === 0) return NOTHING_FOUND;
  return sources.map(({ excerpt, reference }, at) => `${excerpt} [${at + 1}: ${reference}]`).join('\n\n');
}
