import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, envelopeOnce, list, paging } from '../envelope.ts';
import { gardenCommitMachine } from '../machines/garden-commit.ts';
import { choice, idParam, nullable, secret, shownOnce, text } from '../records/fields.ts';
import { planHash } from './garden-records.ts';
import { forges, GardenCommit, GardenCommitDetail, GardenDrift, gardenModes } from './garden-source-records.ts';
import { Garden } from './gardens.ts';

const Url = Type.String({
  format: 'uri',
  pattern: '^[hH][tT][tT][pP][sS]?://',
  maxLength: 2048,
  description:
    'An http or https address of a Git repository, without a user name. Loopback and private addresses are refused unless the operator allows them.',
});

const Branch = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\u0000-\\u0020\\u007f~^:?*\\[\\\\]+$',
  default: 'main',
});

const Path = Type.String({
  minLength: 1,
  maxLength: 512,
  pattern: '^[^\\u0000-\\u001f\\\\]+$',
  default: 'garden.yaml',
  description: 'Path of the garden in the repository, without `..`.',
});

const Credentials = Type.Object(
  {
    username: Type.Optional(text(255, { description: 'By default what the forge expects beside a token.' })),
    token: Type.String({
      minLength: 1,
      maxLength: 4_096,
      pattern: '^[\\u0021-\\u007e]+$',
      description:
        'An access token or password. Stored encrypted, never shown, and sent only to the host of the repository and the API of its forge.',
    }),
  },
  { title: 'GardenCredentials', additionalProperties: false },
);

const fields = {
  branch: Type.Optional(Branch),
  path: Type.Optional(Path),
  prune: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Also archive or remove what this garden made and what left the file.',
    }),
  ),
  interval: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: 86_400,
      default: 300,
      description: 'Seconds between two looks at the repository; a push webhook makes it look at once.',
    }),
  ),
  provider: Type.Optional(
    choice(forges, {
      description: 'By default guessed from the host. It decides how statuses of commits are reported.',
    }),
  ),
};

const mode = choice(gardenModes, {
  description:
    'apply: each commit is applied at once, with the rights of the caller at that moment. propose: it waits for an approval.',
});

export const GardenFollow = Type.Object(
  {
    url: Url,
    mode,
    name: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
        maxLength: 63,
        description: 'Name of the garden, which its file must have too. By default the last part of the address.',
      }),
    ),
    ...fields,
    credentials: Type.Optional(Credentials),
  },
  {
    title: 'GardenFollow',
    additionalProperties: false,
    examples: [{ url: 'https://git.example.org/ada/home.git', mode: 'propose' }],
  },
);
export type GardenFollow = Static<typeof GardenFollow>;

export const GardenSourceUpdate = Type.Object(
  {
    url: Type.Optional(Url),
    mode: Type.Optional(mode),
    ...fields,
    credentials: Type.Optional(
      nullable(Credentials, {
        description: 'New credentials; null removes them. Required with a new url if there are any.',
      }),
    ),
    rotate_secret: Type.Optional(
      Type.Boolean({ default: false, description: 'Create a new secret for push webhooks; the old one ends at once.' }),
    ),
  },
  {
    title: 'GardenSourceUpdate',
    additionalProperties: false,
    examples: [{ branch: 'production', mode: 'apply' }, { rotate_secret: true }],
  },
);
export type GardenSourceUpdate = Static<typeof GardenSourceUpdate>;

const secretText = {
  description: 'The secret to enter at the forge. Shown only once; store it.',
  replacement: 'Create a new secret with `rotate_secret`.',
};
const webhookUrl = Type.String({ description: 'The address to enter at the forge.' });

export const FollowedGarden = Type.Object(
  {
    ...Garden.properties,
    webhook: Type.Object({ url: webhookUrl, secret: shownOnce(secretText) }, { title: 'GardenWebhookSecret' }),
  },
  { title: 'FollowedGarden' },
);
export type FollowedGarden = Static<typeof FollowedGarden>;

export const UpdatedGarden = Type.Object(
  {
    ...Garden.properties,
    webhook: Type.Optional(
      Type.Object(
        { url: webhookUrl, secret: secret(secretText) },
        { title: 'GardenWebhookRotated', description: 'Present if the secret was rotated.' },
      ),
    ),
  },
  { title: 'UpdatedGarden' },
);
export type UpdatedGarden = Static<typeof UpdatedGarden>;

const ofGarden = Type.Object({ id: idParam('Id of a garden.') });
const ofCommit = Type.Object({ ...ofGarden.properties, commit_id: idParam('Id of a commit.') });
const shared = { tag: 'gardens' } as const;

/** The push webhook of forges is no row: its body has the shape of the forge, and its signature covers the raw bytes. */
export const gardenSourceEndpoints = {
  'gardens.follow': endpoint({
    ...shared,
    method: 'POST',
    path: '/gardens',
    summary: 'Follow a garden in a Git repository',
    description:
      'The service reads the repository at every interval and after each push webhook, and plans the newest commit. A garden of this name that clients applied is continued. References such as `${env.NAME}` have no value here: a garden in a repository leaves secrets out, which keeps the stored ones.',
    permission: 'gardens:write',
    idempotent: true,
    status: 201,
    body: GardenFollow,
    response: envelopeOnce(FollowedGarden),
  }),
  'gardens.update': endpoint({
    ...shared,
    record: { read: 'gardens.read', observed: ['source', 'last_run', 'items'] },
    method: 'PATCH',
    path: '/gardens/{id}',
    summary: 'Change the source of a garden',
    description:
      'Omitted fields keep their values. From now on commits are planned and applied with the rights of the caller.',
    permission: 'gardens:write',
    params: ofGarden,
    body: GardenSourceUpdate,
    response: envelope(UpdatedGarden),
  }),
  'gardens.sync': endpoint({
    ...shared,
    method: 'POST',
    path: '/gardens/{id}/sync',
    summary: 'Read the repository of a garden now',
    permission: 'gardens:write',
    status: 202,
    params: ofGarden,
    body: Type.Object(
      {
        again: Type.Optional(
          Type.Boolean({
            default: false,
            description: 'Plan the newest commit again, also if it was applied, failed, was broken or rejected.',
          }),
        ),
      },
      { title: 'GardenSync', additionalProperties: false },
    ),
    response: envelope(Garden),
  }),
  'gardens.commits': endpoint({
    ...shared,
    method: 'GET',
    path: '/gardens/{id}/commits',
    summary: 'List the commits of a garden, newest first',
    permission: 'gardens:read',
    params: ofGarden,
    query: Type.Object({
      status: Type.Optional(choice(gardenCommitMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(GardenCommit),
  }),
  'gardens.commit': endpoint({
    ...shared,
    method: 'GET',
    path: '/gardens/{id}/commits/{commit_id}',
    summary: 'Read a commit with its plan',
    description: 'Needs the permission to read each kind that the plan changes.',
    permission: 'gardens:read',
    errors: ['FORBIDDEN'],
    params: ofCommit,
    response: envelope(GardenCommitDetail),
  }),
  'gardens.approve': endpoint({
    ...shared,
    method: 'POST',
    path: '/gardens/{id}/commits/{commit_id}/approve',
    summary: 'Apply a waiting commit',
    description:
      'Plans it again, and refuses with the reason `stale` if the plan has changed; the commit then shows the new plan. Needs the permissions of every change, and applies it with the rights of the caller.',
    permission: 'gardens:write',
    errors: ['FORBIDDEN'],
    status: 202,
    params: ofCommit,
    body: Type.Object(
      { plan_hash: { ...planHash, description: 'Hash of the plan that is approved.' } },
      {
        title: 'GardenApproval',
        additionalProperties: false,
        examples: [{ plan_hash: `sha256:${'0'.repeat(64)}` }],
      },
    ),
    response: envelope(GardenCommit),
  }),
  'gardens.reject': endpoint({
    ...shared,
    method: 'POST',
    path: '/gardens/{id}/commits/{commit_id}/reject',
    summary: 'Reject a waiting commit',
    description: 'Changes nothing. Idempotent.',
    permission: 'gardens:write',
    params: ofCommit,
    body: Type.Object(
      { comment: Type.Optional(text(500, { description: 'Why, for the other people of the account.' })) },
      { title: 'GardenRejection', additionalProperties: false },
    ),
    response: envelope(GardenCommit),
  }),
  'gardens.drift': endpoint({
    ...shared,
    method: 'GET',
    path: '/gardens/{id}/drift',
    summary: 'Compare the last applied commit with what exists',
    description: 'Changes nothing. Needs the permission to read each kind that differs.',
    permission: 'gardens:read',
    errors: ['FORBIDDEN'],
    params: ofGarden,
    response: envelope(GardenDrift),
  }),
};
