import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, Timestamp } from '../envelope.ts';
import { choice, nullable, text } from '../records/fields.ts';

export const AssistantSource = Type.Object(
  {
    type: choice(['template', 'documentation']),
    title: Type.String(),
    reference: Type.String({ description: 'The species of a template, or the file and chapter of the documentation.' }),
    excerpt: Type.String(),
  },
  { title: 'AssistantSource' },
);
export type AssistantSource = Static<typeof AssistantSource>;

export const AssistantUsage = Type.Object(
  {
    month: Type.String({ examples: ['2026-01'] }),
    questions: Type.Integer({ description: 'Questions asked in this month.' }),
    limit: Type.Integer({ description: 'Questions a month, by the plan of the account.' }),
    remaining: Type.Integer(),
    prompt_tokens: Type.Integer({ description: 'As counted by the model; 0 without a model.' }),
    answer_tokens: Type.Integer(),
    resets_at: Timestamp,
  },
  { title: 'AssistantUsage' },
);
export type AssistantUsage = Static<typeof AssistantUsage>;

export const AssistantAnswer = Type.Object(
  {
    answer: Type.String(),
    sources: Type.Array(AssistantSource, { description: 'Sources of the answer, best first.' }),
    found: Type.Boolean({ description: 'False if neither the catalog nor the documentation has a match.' }),
    model: nullable(Type.String(), {
      description: 'Model that wrote the answer; null if it was assembled from passages.',
    }),
    usage: AssistantUsage,
  },
  { title: 'AssistantAnswer' },
);
export type AssistantAnswer = Static<typeof AssistantAnswer>;

const Question = Type.Object(
  { question: text(2000, { description: 'The question in natural language. It is not stored.' }) },
  {
    title: 'AssistantQuestion',
    additionalProperties: false,
    examples: [{ question: 'Which template gives me a blog with comments?' }],
  },
);

export const copilotEndpoints = {
  'copilot.ask': endpoint({
    method: 'POST',
    path: '/copilot/ask',
    tag: 'copilot',
    summary: 'Ask the assistant',
    description:
      'Answers from the catalog and the documentation, with sources. With Accept: text/event-stream the answer arrives in pieces: events named delta with {text}, then done with the whole answer.',
    permission: 'assistant:ask',
    stream: true,
    body: Question,
    response: envelope(AssistantAnswer),
  }),
  'copilot.usage': endpoint({
    method: 'GET',
    path: '/copilot/usage',
    tag: 'copilot',
    summary: 'Read the usage of the assistant this month',
    permission: 'assistant:ask',
    response: envelope(AssistantUsage),
  }),
};
