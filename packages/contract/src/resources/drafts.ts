import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { templateTestMachine } from '../machines/template-test.ts';
import { choice, id, idParam, nullable, text } from '../records/fields.ts';
import { InputValue } from '../template/inputs.ts';
import { PlannedPermission } from './plan-records.ts';
import { TemplateItem } from './templates.ts';

/** Maximum length of a template or a Compose file. */
const MAX_SOURCE_LENGTH = 500_000;

const place = {
  path: Type.String({
    description: 'Path of the value; empty for the whole file.',
    examples: ['components.app.image'],
  }),
  line: Type.Integer({ minimum: 1 }),
  column: Type.Integer({ minimum: 1 }),
  message: Type.String(),
};

const TemplateFinding = Type.Object(
  {
    severity: choice(['error', 'warning']),
    code: Type.String({ description: 'Kind of the finding, for programs.', examples: ['unknown-reference'] }),
    ...place,
    suggestion: Type.Optional(Type.String({ description: 'How to fix it.' })),
  },
  { title: 'TemplateFinding', description: 'A finding of the validator at one place of a template.' },
);

const Inference = Type.Object(place, {
  title: 'Inference',
  description: 'A value that was inferred from a Compose file.',
});

const Omission = Type.Object(
  {
    ...place,
    refused: Type.Boolean({
      description: 'Whether it was omitted because of the access to the server that it would give.',
    }),
  },
  { title: 'Omission', description: 'A part of a Compose file that the template does not contain.' },
);

export const Draft = Type.Object(
  {
    ...TemplateItem.properties,
    valid: Type.Boolean({ description: 'Whether the validator finds no error.' }),
    findings: Type.Array(TemplateFinding, { description: 'In the order of the source.' }),
    replaced: Type.Optional(Type.Boolean({ description: 'Whether it replaced an earlier draft of this version.' })),
  },
  { title: 'Draft', description: 'A template of the account with the findings of the validator.' },
);
export type Draft = Static<typeof Draft>;

const ImportQuestion = Type.Object(
  {
    service: Type.String({ description: 'The service of the Compose file; its name in `ports` of the request.' }),
    line: place.line,
    column: place.column,
    message: Type.String(),
  },
  {
    title: 'ImportQuestion',
    description: 'A port that the Compose file does not tell. Without an answer nothing leads to the application.',
  },
);
const questions = Type.Array(ImportQuestion, {
  description: 'Answered by `ports` of another request; empty if the way in is known, or if the file needs none.',
});

export const ImportedDraft = Type.Object(
  {
    ...Draft.properties,
    source: Type.String({ description: 'The template as YAML; the lines of findings refer to it.' }),
    inferred: Type.Array(Inference),
    dropped: Type.Array(Omission),
    questions,
  },
  { title: 'ImportedDraft', description: 'A draft made from a Compose file.' },
);
export type ImportedDraft = Static<typeof ImportedDraft>;

export const DraftDetail = Type.Object(
  {
    ...Draft.properties,
    source: Type.String({ description: 'The template as text; the lines of findings refer to it.' }),
    updated_at: Timestamp,
  },
  { title: 'DraftDetail', description: 'A template of the account with its text.' },
);
export type DraftDetail = Static<typeof DraftDetail>;

export const CheckedDraft = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether the validator finds no error.' }),
    findings: Type.Array(TemplateFinding, { description: 'In the order of the source.' }),
    source: Type.String({ description: 'The template as text: as given, or made from the Compose file.' }),
    inferred: Type.Array(Inference, { description: 'Empty without a Compose file.' }),
    dropped: Type.Array(Omission, { description: 'Empty without a Compose file.' }),
    questions,
    permissions: Type.Array(PlannedPermission, {
      description: 'Access to the server that it uses, declared or not. Empty while the template has errors.',
    }),
  },
  { title: 'CheckedDraft', description: 'A template that was examined and not stored.' },
);
export type CheckedDraft = Static<typeof CheckedDraft>;

const bounded = { additionalProperties: false };

export const DraftCreate = Type.Object(
  {
    source: Type.Optional(text(MAX_SOURCE_LENGTH, { description: 'The template as YAML or JSON text.' })),
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

/** What an import needs beside the Compose file. */
const beside = {
  env: Type.Optional(
    text(MAX_SOURCE_LENGTH, {
      minLength: 0,
      description: 'The .env beside the Compose file: its values become defaults, its passwords generated secrets.',
    }),
  ),
  ports: Type.Optional(
    Type.Record(Type.String({ pattern: '^.{1,200}$' }), Type.Integer({ minimum: 0, maximum: 65_535 }), {
      ...bounded,
      maxProperties: 200,
      description: 'Ports on which services answer HTTP, by the name of the service; 0 if it needs no way in.',
    }),
  ),
};

export const DraftImport = Type.Object(
  {
    compose: text(MAX_SOURCE_LENGTH, { description: 'The text of a Compose file.' }),
    name: Type.Optional(text(200, { description: 'Name of the template; defaults to the name in the file.' })),
    slug: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
        maxLength: 63,
        description: 'The species; derived from the name by default.',
      }),
    ),
    ...beside,
  },
  bounded,
);
export type DraftImport = Static<typeof DraftImport>;

export const DraftCheck = Type.Object(
  {
    source: Type.Optional(text(MAX_SOURCE_LENGTH, { description: 'The template as YAML or JSON text.' })),
    compose: Type.Optional(text(MAX_SOURCE_LENGTH, { description: 'The text of a Compose file, instead of source.' })),
    name: Type.Optional(DraftImport.properties.name),
    slug: Type.Optional(DraftImport.properties.slug),
    ...beside,
  },
  bounded,
);
export type DraftCheck = Static<typeof DraftCheck>;

export const TemplateTest = Type.Object(
  {
    id: id('templateTest'),
    template_id: id('template'),
    spec_hash: Type.String({ description: 'Version that was tested; the result applies only to it.' }),
    server_id: id('server'),
    definition_id: id('definition', {
      description: 'Definition deployed for the test; omitted from lists, archived afterwards.',
    }),
    deployment_id: id('deployment', { description: 'Its log shows the progress.' }),
    status: choice(templateTestMachine.states),
    reason: nullable(choice(['deployment', 'smoke', 'timeout', 'server_removed']), {
      description: 'What failed: the deployment did not become healthy, a smoke check failed, or the test timed out.',
    }),
    error: nullable(Type.String(), { description: 'The reason, for people.' }),
    output: nullable(Type.String(), { description: 'Request, expectation and result of each smoke check.' }),
    cleared: Type.Boolean({ description: 'Whether everything that it deployed was removed from the server.' }),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  { title: 'TemplateTest', description: 'A deploy test of a template on a test server.' },
);
export type TemplateTest = Static<typeof TemplateTest>;

export const TemplateTestOrder = Type.Object(
  {
    inputs: Type.Optional(
      Type.Record(Type.String({ pattern: '^.{1,128}$' }), InputValue, {
        ...bounded,
        maxProperties: 500,
        description: 'Values for inputs that the test cannot generate; others use defaults or generated values.',
      }),
    ),
    profile: Type.Optional(text(63, { description: 'Defaults to development.' })),
    variant: Type.Optional(text(63)),
    server_id: Type.Optional(idParam('The test server, if there are several.')),
  },
  { ...bounded, title: 'TemplateTestOrder', examples: [{}] },
);
export type TemplateTestOrder = Static<typeof TemplateTestOrder>;

const shared = {
  tag: 'templates',
  permission: 'templates:write',
  params: Type.Object({ id: idParam('A template id of the account.') }),
} as const;

export const draftEndpoints = {
  'drafts.list': endpoint({
    method: 'GET',
    path: '/drafts',
    tag: 'templates',
    summary: 'List the templates of the account in every state, newest first',
    permission: 'templates:read',
    query: Type.Object({ ...paging }),
    response: list(TemplateItem),
  }),
  'drafts.read': endpoint({
    ...shared,
    method: 'GET',
    path: '/drafts/{id}',
    permission: 'templates:read',
    summary: 'Read a template of the account with its text and the findings of the validator',
    response: envelope(DraftDetail),
  }),
  'drafts.check': endpoint({
    method: 'POST',
    path: '/drafts/check',
    tag: 'templates',
    summary: 'Examine a template or a Compose file without storing anything',
    description:
      'Give source or compose. Lists findings with their lines; for a Compose file also what was inferred and dropped.',
    permission: 'templates:write',
    body: DraftCheck,
    response: envelope(CheckedDraft),
  }),
  'drafts.create': endpoint({
    method: 'POST',
    path: '/templates',
    tag: 'templates',
    summary: 'Create a private template as a draft',
    description:
      'Give source or spec. Semantic errors are allowed in a draft and listed in the answer; input that does not fit the format is refused. Replaces a draft of the same species and version, so a retry is safe; a published template is never replaced.',
    permission: 'templates:write',
    idempotent: true,
    status: 201,
    body: DraftCreate,
    response: envelope(Draft),
  }),
  'drafts.import': endpoint({
    method: 'POST',
    path: '/templates/import',
    tag: 'templates',
    summary: 'Create a draft from a Compose file',
    description:
      'Lists what was inferred and what was dropped, each with its place in the file. Access to the server becomes a permission of the template, or is refused.',
    permission: 'templates:write',
    idempotent: true,
    status: 201,
    body: DraftImport,
    response: envelope(ImportedDraft),
  }),
  'drafts.validate': endpoint({
    ...shared,
    method: 'POST',
    path: '/templates/{id}/validate',
    summary: 'Validate a draft',
    description:
      'A draft without errors becomes validated. A draft with errors does not change, and the answer lists them.',
    response: envelope(Draft),
  }),
  'drafts.test': endpoint({
    ...shared,
    method: 'POST',
    path: '/templates/{id}/test',
    summary: 'Run a deploy test of a draft on a test server',
    description:
      'Deploys this spec_hash on a server of the account with deploy_tests, waits until it is healthy, runs its smoke test, and removes everything again, including volumes. Poll GET /templates/{id}/tests.',
    status: 202,
    body: TemplateTestOrder,
    response: envelope(TemplateTest),
  }),
  'drafts.tests': endpoint({
    ...shared,
    method: 'GET',
    path: '/templates/{id}/tests',
    permission: 'templates:read',
    summary: 'List the deploy tests of a template of the account',
    description: 'Newest first.',
    query: Type.Object({ ...paging }),
    response: list(TemplateTest),
  }),
  'drafts.promote': endpoint({
    ...shared,
    method: 'POST',
    path: '/templates/{id}/promote',
    summary: 'Publish a validated template for the account',
    description:
      'A published template can be used by definitions and never changes. Image tags without a version are refused. If the account has a server with deploy_tests, this spec_hash must have passed a deploy test.',
    response: envelope(Draft),
  }),
  'drafts.deprecate': endpoint({
    ...shared,
    method: 'POST',
    path: '/templates/{id}/deprecate',
    summary: 'Mark a published template of the account as deprecated',
    description: 'Existing definitions keep working; new ones should not use it.',
    response: envelope(Draft),
  }),
};
