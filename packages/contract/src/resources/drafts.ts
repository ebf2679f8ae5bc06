import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, list, paging, Timestamp } from '../envelope.ts';
import { choice, givenId, id, nullable, text } from '../fields.ts';
import { templateTestMachine } from '../machines/template-test.ts';
import { InputValue } from '../template/inputs.ts';
import { TemplateItem } from './templates.ts';

/** As long as a template or a Compose file may be. */
const LONGEST_SOURCE = 500_000;

const place = {
  path: Type.String({
    description: 'Which value it is about; empty for the whole.',
    examples: ['components.app.image'],
  }),
  line: Type.Integer({ minimum: 1 }),
  column: Type.Integer({ minimum: 1 }),
  message: Type.String(),
};

export const TemplateFinding = Type.Object(
  {
    severity: choice(['error', 'warning']),
    code: Type.String({ description: 'The same for the same mistake, for programs.', examples: ['unknown-reference'] }),
    ...place,
    suggestion: Type.Optional(Type.String({ description: 'What would mend it.' })),
  },
  { title: 'TemplateFinding', description: 'What the validator says about one place of a template.' },
);

export const Inference = Type.Object(place, {
  title: 'Inference',
  description: 'What was concluded from a Compose file without being said there.',
});

export const Omission = Type.Object(
  {
    ...place,
    refused: Type.Boolean({ description: 'Left out because of the reach into the server it would give.' }),
  },
  { title: 'Omission', description: 'What a Compose file says and the template does not.' },
);

export const Draft = Type.Object(
  {
    ...TemplateItem.properties,
    valid: Type.Boolean({ description: 'Whether the validator finds no error.' }),
    findings: Type.Array(TemplateFinding, { description: 'In the order of the text.' }),
    replaced: Type.Optional(Type.Boolean({ description: 'Whether an earlier draft of this version gave way to it.' })),
  },
  { title: 'Draft', description: 'A template of the account with what the validator says about it.' },
);
export type Draft = Static<typeof Draft>;

export const ImportedDraft = Type.Object(
  {
    ...Draft.properties,
    source: Type.String({ description: 'The template, as YAML; what findings count lines of.' }),
    inferred: Type.Array(Inference),
    dropped: Type.Array(Omission),
  },
  { title: 'ImportedDraft', description: 'A draft made from a Compose file.' },
);
export type ImportedDraft = Static<typeof ImportedDraft>;

const bounded = { additionalProperties: false };

export const DraftCreate = Type.Object(
  {
    source: Type.Optional(text(LONGEST_SOURCE, { description: 'The template as YAML or JSON text.' })),
    spec: Type.Optional(
      Type.Record(Type.String({ pattern: '^.{1,64}$' }), Type.Unknown(), {
        ...bounded,
        maxProperties: 100,
        description: 'The template as an object, instead of source.',
      }),
    ),
  },
  bounded,
);
export type DraftCreate = Static<typeof DraftCreate>;

export const DraftImport = Type.Object(
  {
    compose: text(LONGEST_SOURCE, { description: 'The text of a Compose file.' }),
    name: Type.Optional(text(200, { description: 'What the template is called; the name in the file unless given.' })),
    slug: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
        maxLength: 63,
        description: 'The species; made from the name unless given.',
      }),
    ),
  },
  bounded,
);
export type DraftImport = Static<typeof DraftImport>;

export const TemplateTest = Type.Object(
  {
    id: id('templateTest'),
    template_id: id('template'),
    spec_hash: Type.String({ description: 'Of what was tried; it says nothing about any other.' }),
    server_id: id('server'),
    definition_id: id('definition', { description: 'What was planted for it; gone from lists, archived at the end.' }),
    deployment_id: id('deployment', { description: 'Its log tells how far it came.' }),
    status: choice(templateTestMachine.states),
    reason: nullable(choice(['deployment', 'smoke', 'timeout', 'server_removed']), {
      description: 'What failed: it did not become healthy, a check of smoke did not hold, or it took too long.',
    }),
    error: nullable(Type.String(), { description: 'Why, for a person.' }),
    output: nullable(Type.String(), { description: 'What each check of smoke asked, expected and saw.' }),
    cleared: Type.Boolean({ description: 'Whether everything that it planted is gone from the server.' }),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  { title: 'TemplateTest', description: 'A deploy test of a template on a server that was marked for it.' },
);
export type TemplateTest = Static<typeof TemplateTest>;

export const TemplateTestOrder = Type.Object(
  {
    inputs: Type.Optional(
      Type.Record(Type.String({ pattern: '^.{1,128}$' }), InputValue, {
        ...bounded,
        maxProperties: 500,
        description: 'Answers where the test cannot think of its own; others are defaults or made up.',
      }),
    ),
    profile: Type.Optional(text(63, { description: 'development unless given.' })),
    variant: Type.Optional(text(63)),
    server_id: Type.Optional(givenId('Which of several test servers.')),
  },
  { ...bounded, title: 'TemplateTestOrder', examples: [{}] },
);
export type TemplateTestOrder = Static<typeof TemplateTestOrder>;

const shared = {
  tag: 'templates',
  permission: 'templates:write',
  params: Type.Object({ id: givenId('A template id of the account.') }),
} as const;

export const draftEndpoints = {
  'drafts.create': endpoint({
    method: 'POST',
    path: '/templates',
    tag: 'templates',
    summary: 'Create a private template as a draft',
    description:
      'Give source or spec. It may still have errors of meaning, which the answer lists; what does not fit the format is refused. A draft of the same species and version is replaced, so that sending it again does no harm; a published one is not.',
    permission: 'templates:write',
    idempotent: true,
    status: 201,
    body: DraftCreate,
    response: answer(Draft),
  }),
  'drafts.import': endpoint({
    method: 'POST',
    path: '/templates/import',
    tag: 'templates',
    summary: 'Make a draft from a Compose file',
    description:
      'Tells what was inferred and what was dropped, each with its place in the file. Reach into the server becomes a permission of the template, or is refused.',
    permission: 'templates:write',
    idempotent: true,
    status: 201,
    body: DraftImport,
    response: answer(ImportedDraft),
  }),
  'drafts.validate': endpoint({
    ...shared,
    method: 'POST',
    path: '/templates/{id}/validate',
    summary: 'Validate a draft',
    description: 'A draft without errors becomes validated. With errors it stays as it is, and the answer lists them.',
    response: answer(Draft),
  }),
  'drafts.test': endpoint({
    ...shared,
    method: 'POST',
    path: '/templates/{id}/test',
    summary: 'Try a draft on a test server',
    description:
      'Deploys this very spec_hash on a server of the account that takes deploy_tests, waits until it is healthy, makes its smoke test, and removes everything again, volumes too. Poll GET /templates/{id}/tests.',
    status: 202,
    body: TemplateTestOrder,
    response: answer(TemplateTest),
  }),
  'drafts.tests': endpoint({
    ...shared,
    method: 'GET',
    path: '/templates/{id}/tests',
    permission: 'templates:read',
    summary: 'List the deploy tests of a template of the account',
    description: 'The newest first.',
    query: Type.Object({ ...paging }),
    response: list(TemplateTest),
  }),
  'drafts.promote': endpoint({
    ...shared,
    method: 'POST',
    path: '/templates/{id}/promote',
    summary: 'Publish a validated template for the account',
    description:
      'From then on definitions can be made of it, and it never changes. Tags that name no version are refused. Where the account has a server that takes deploy_tests, this very spec_hash must have passed one.',
    response: answer(Draft),
  }),
  'drafts.deprecate': endpoint({
    ...shared,
    method: 'POST',
    path: '/templates/{id}/deprecate',
    summary: 'Mark a published template of the account as deprecated',
    description: 'What was made from it goes on; nothing new should be.',
    response: answer(Draft),
  }),
};
