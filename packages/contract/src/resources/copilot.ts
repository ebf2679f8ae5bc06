import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, Timestamp } from '../envelope.ts';
import { choice, nullable, text } from '../fields.ts';

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
    questions: Type.Integer({ description: 'Asked in this month.' }),
    limit: Type.Integer({ description: 'Questions a month, by the plan of the account.' }),
    remaining: Type.Integer(),
    prompt_tokens: Type.Integer({ description: 'As counted by the model; 0 where there is none.' }),
    answer_tokens: Type.Integer(),
    resets_at: Timestamp,
  },
  { title: 'AssistantUsage' },
);
export type AssistantUsage = Static<typeof AssistantUsage>;

export const AssistantAnswer = Type.Object(
  {
    answer: Type.String(),
    sources: Type.Array(AssistantSource, { description: 'What the answer rests on, best first.' }),
    found: Type.Boolean({ description: 'False when neither catalog nor documentation says anything about it.' }),
    model: nullable(Type.String(), {
      description: 'Which model wrote it; null when it was put together from passages.',
    }),
    usage: AssistantUsage,
  },
  { title: 'AssistantAnswer' },
);
export type AssistantAnswer = Static<typeof AssistantAnswer>;

const Question = Type.Object(
  { question: text(2000, { description: 'In plain words. It is not kept.' }) },
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
    response: answer(AssistantAnswer),
  }),
  'copilot.usage': endpoint({
    method: 'GET',
    path: '/copilot/usage',
    tag: 'copilot',
    summary: 'Read how much of the assistant was used this month',
    permission: 'assistant:ask',
    response: answer(AssistantUsage),
  }),
};
