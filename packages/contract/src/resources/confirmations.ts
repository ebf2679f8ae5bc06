import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { confirmationMachine } from '../machines/confirmation.ts';
import { choice, id, idParam, nullable, text } from '../records/fields.ts';
import { inputChanges } from './definitions.ts';

/** Endpoints whose calls a program may leave to a person. Each destroys or replaces something. */
const confirmable = [
  'definitions.archive',
  'instances.release',
  'backups.restore',
  'deployments.rollback',
  'actions.execute',
] as const;
export type Confirmable = (typeof confirmable)[number];

const endpointName = choice(confirmable, { description: 'Operation id of the call.' });
const values = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const volume = text(128);
/** The fields of all confirmable calls; each has some of them. */
const call = {
  params: Type.Object(
    { id: idParam('Id of the record.'), slug: Type.Optional(idParam('Slug of the action.')) },
    { additionalProperties: false, description: 'Values in its path.' },
  ),
  query: Type.Object(
    { container: Type.Optional(choice(['keep', 'remove'])) },
    { additionalProperties: false, description: 'Its query.' },
  ),
  body: Type.Object(
    {
      remove_volumes: Type.Optional(Type.Boolean()),
      with_data: Type.Optional(Type.Boolean()),
      confirm: Type.Optional(Type.Union([volume, Type.Array(volume, { maxItems: 100 })])),
      params: Type.Optional(inputChanges('Values of the params of an action.')),
    },
    { additionalProperties: false, description: 'Its body.' },
  ),
};

export const Confirmation = Type.Object(
  {
    id: id('confirmation'),
    endpoint: endpointName,
    params: values('Values in its path.'),
    query: values('Its query.'),
    body: values('Its body.'),
    title: Type.String({
      description: 'What the call does and to what, written by the service.',
      examples: ['Archive blog and remove its containers'],
    }),
    reason: nullable(Type.String(), { description: 'Why, in the words of the requester; not verified.' }),
    subject: Type.String({ description: 'Name of the record that is changed.', examples: ['blog'] }),
    status: choice(confirmationMachine.states),
    url: Type.String({ description: 'Page of the console where a person decides.' }),
    error: nullable(Type.String(), { description: 'Why the call failed.' }),
    result_id: nullable(Type.String(), {
      description: 'Id of the execution or deployment that the call has started, or of the changed record.',
    }),
    requested_by: Type.String({ description: 'Id of the key or user that requests it.' }),
    requested_by_name: nullable(Type.String(), { description: 'Name of that key.' }),
    decided_by: nullable(id('user'), { description: 'The user who confirmed or rejected it.' }),
    expires_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Confirmation' },
);
export type Confirmation = Static<typeof Confirmation>;

export const ConfirmationRequest = Type.Object(
  {
    endpoint: endpointName,
    params: call.params,
    query: Type.Optional(call.query),
    body: Type.Optional(call.body),
    reason: Type.Optional(text(500, { description: 'Why, in your words; shown to the person as yours.' })),
  },
  {
    title: 'ConfirmationRequest',
    additionalProperties: false,
    examples: [
      {
        endpoint: 'definitions.archive',
        params: { id: 'def_01j9zq3v5t8x2m4n6p7r9s0abc' },
        reason: 'It was replaced by the new blog.',
      },
    ],
  },
);
export type ConfirmationRequest = Static<typeof ConfirmationRequest>;

const ofConfirmation = Type.Object({ id: idParam('Id of a confirmation.') });
const shared = { tag: 'confirmations', params: ofConfirmation, response: envelope(Confirmation) } as const;

export const confirmationEndpoints = {
  'confirmations.create': endpoint({
    method: 'POST',
    path: '/confirmations',
    tag: 'confirmations',
    summary: 'Ask a person to confirm a dangerous call',
    description:
      'For assistants and other programs. The service carries the call out when a person confirms it, with the permissions of that person. It expires after an hour.',
    permission: 'confirmations:request',
    idempotent: true,
    status: 201,
    body: ConfirmationRequest,
    response: envelope(Confirmation),
  }),
  'confirmations.list': endpoint({
    method: 'GET',
    path: '/confirmations',
    tag: 'confirmations',
    summary: 'List the confirmations, newest first',
    permission: 'confirmations:request',
    query: Type.Object({
      status: Type.Optional(choice(confirmationMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(Confirmation),
  }),
  'confirmations.read': endpoint({
    ...shared,
    method: 'GET',
    path: '/confirmations/{id}',
    summary: 'Read a confirmation',
    permission: 'confirmations:request',
  }),
  'confirmations.confirm': endpoint({
    ...shared,
    method: 'POST',
    path: '/confirmations/{id}/confirm',
    summary: 'Confirm a call and carry it out',
    description:
      'Only for a person who has signed in: an API key is refused, whatever its permissions. The person needs the permission of the call.',
    permission: 'session',
  }),
  'confirmations.reject': endpoint({
    ...shared,
    method: 'POST',
    path: '/confirmations/{id}/reject',
    summary: 'Reject a call',
    description: 'Only for a person who has signed in.',
    permission: 'session',
  }),
};
