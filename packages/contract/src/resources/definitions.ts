import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging } from '../envelope.ts';
import { definitionMachine } from '../machines/definition.ts';
import { choice, idParam, namePattern, nullable, text } from '../records/fields.ts';
import { ComponentOverride, Overrides } from '../template/overrides.ts';
import { BackupWishes } from './backup-settings.ts';
import { Definition, InputValue, Revision, Secret } from './definition-records.ts';
import { CreatedDefinition, PlacementWish } from './placement-records.ts';

export const inputName = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_.-]{0,127}$' });
const bounded = { additionalProperties: false, maxProperties: 500 };
export const inputValues = (description: string) => Type.Record(inputName, InputValue, { ...bounded, description });
export const inputChanges = (description: string) =>
  Type.Record(inputName, nullable(InputValue), { ...bounded, description });
const sameAsInputs = 'Another name for inputs; give one of the two.';

const profiles = 'minimal, development, production or one the template declares.';
const watchSeconds = Type.Integer({
  minimum: 0,
  maximum: 86_400,
  description:
    'Seconds after a deployment during which the daemon rolls back if the new revision becomes unhealthy; 0 disables this.',
});
const heal = Type.Boolean({
  description: 'Repair drift automatically, by deploying again; repeated repairs back off.',
});
export const needName = Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' });
export const BindingWish = Type.Object(
  {
    instance: Type.Optional(
      text(63, { description: 'instance_uid of a definition that provides the class of the need.' }),
    ),
    connection: Type.Optional(idParam('Id of a saved connection of the class of the need.')),
  },
  { title: 'BindingWish', additionalProperties: false, description: 'Give instance or connection.' },
);
export type BindingWish = Static<typeof BindingWish>;
const bindingsBounded = { additionalProperties: false, maxProperties: 20 };
const variant = text(64, { description: 'Id of an image variant of the template.' });

/**
 * Combines the two published bodies in one object: which fields belong together depends on values, and the service
 * reports violations by field. `species` selects the first form, `template_id` the second.
 */
export const DefinitionCreate = Type.Object(
  {
    species: Type.Optional(text(64, { description: 'Uses the newest published version. Not with template_id.' })),
    template_id: Type.Optional(idParam('Uses exactly this version. Not with species.')),
    instance_uid: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        pattern: namePattern,
        description:
          'Letters, digits, _ and -. Unique among the definitions of the account that are not archived. Required with species; otherwise derived from the name.',
      }),
    ),
    name: Type.Optional(
      text(120, {
        description:
          'Display name, in any script, not unique. Required with template_id; defaults to the instance_uid.',
      }),
    ),
    server_id: Type.Optional(
      idParam(
        'The server to run on. Required. `auto` lets the service choose one that is online, meets `placement` and has room.',
      ),
    ),
    placement: Type.Optional(PlacementWish),
    ignore_drain: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Create it on a server that is drained; it cannot be deployed yet.',
      }),
    ),
    inputs: Type.Optional(inputValues('Values by input name. They override those of a saved config.')),
    params: Type.Optional(inputValues(sameAsInputs)),
    profile: Type.Optional(text(64, { default: 'development', description: profiles })),
    variant: Type.Optional(variant),
    tenant_id: Type.Optional(idParam('Tenant of the definition; it must be on the same server.')),
    saved_config_id: Type.Optional(
      idParam(
        'A saved config of the same species. It provides the values that the request omits, including the species.',
      ),
    ),
    watch_seconds: Type.Optional(Type.Integer({ ...watchSeconds, default: 60 })),
    backup: Type.Optional(BackupWishes),
    heal: Type.Optional(Type.Boolean({ ...heal, default: false })),
    bindings: Type.Optional(
      Type.Record(needName, BindingWish, {
        ...bindingsBounded,
        description: 'What meets the needs of the template, by the name of the need.',
      }),
    ),
    overrides: Type.Optional(Overrides),
  },
  {
    title: 'DefinitionCreate',
    additionalProperties: false,
    examples: [
      {
        species: 'inkwell',
        instance_uid: 'inkwell-blog',
        server_id: 'srv_01j9zq3v5t8x2m4n6p7r9s0abc',
        inputs: { WEB_HOSTNAME: 'blog.example.org' },
        profile: 'production',
      },
      {
        template_id: 'tpl_01j9zq3v5t8x2m4n6p7r9s0abc',
        name: 'Our blog',
        server_id: 'srv_01j9zq3v5t8x2m4n6p7r9s0abc',
        params: { WEB_HOSTNAME: 'blog.example.org' },
      },
      {
        species: 'inkwell',
        instance_uid: 'inkwell-notes',
        server_id: 'auto',
        placement: { labels: { site: 'berlin' } },
        inputs: { WEB_HOSTNAME: 'notes.example.org' },
      },
    ],
  },
);
export type DefinitionCreate = Static<typeof DefinitionCreate>;

export const DefinitionUpdate = Type.Object(
  {
    name: Type.Optional(text(120, { description: 'Display name.' })),
    profile: Type.Optional(text(64, { description: profiles })),
    variant: Type.Optional(nullable(variant, { description: 'Null selects the default variant.' })),
    inputs: Type.Optional(
      inputChanges('Merged into the current values: null removes a value; omitted values stay, including passwords.'),
    ),
    params: Type.Optional(inputChanges(sameAsInputs)),
    watch_seconds: Type.Optional(watchSeconds),
    backup: Type.Optional(BackupWishes),
    heal: Type.Optional(heal),
    bindings: Type.Optional(
      Type.Record(needName, nullable(BindingWish), {
        ...bindingsBounded,
        description: 'Merged into the current bindings: null unbinds a need; omitted ones stay.',
      }),
    ),
    overrides: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]{0,30}$' }), nullable(ComponentOverride), {
        additionalProperties: false,
        maxProperties: 50,
        description: 'By component: replaces what it overrides of the template; null removes it; omitted ones stay.',
      }),
    ),
  },
  {
    title: 'DefinitionUpdate',
    additionalProperties: false,
    examples: [{ profile: 'production', params: { SITE_TITLE: 'Notes', LOG_LEVEL: null } }],
  },
);
export type DefinitionUpdate = Static<typeof DefinitionUpdate>;

const params = Type.Object({ id: idParam('Id of a definition.') });
const shared = { tag: 'definitions', params } as const;

export const definitionEndpoints = {
  'definitions.list': endpoint({
    method: 'GET',
    path: '/definitions',
    tag: 'definitions',
    summary: 'List the definitions',
    permission: 'definitions:read',
    query: Type.Object({
      server_id: Type.Optional(idParam('Only those of this server.')),
      tenant_id: Type.Optional(idParam('Only those of this tenant.')),
      status: Type.Optional(
        choice([...definitionMachine.states, 'all'] as const, {
          description:
            'Only definitions in this state. By default archived definitions are omitted; `all` includes them.',
        }),
      ),
      q: Type.Optional(
        text(64, { description: 'Only those with this text in their name or instance_uid, in any case.' }),
      ),
      ...paging,
    }),
    response: list(Definition),
  }),
  'definitions.create': endpoint({
    method: 'POST',
    path: '/definitions',
    tag: 'definitions',
    summary: 'Create a definition',
    description:
      'Give species, instance_uid and inputs, or template_id, name and params; server_id with either. With server_id `auto`, 422 with the reason `no_server` names what each server lacks.',
    permission: 'definitions:write',
    idempotent: true,
    status: 201,
    body: DefinitionCreate,
    response: envelope(CreatedDefinition),
  }),
  'definitions.read': endpoint({
    ...shared,
    method: 'GET',
    path: '/definitions/{id}',
    summary: 'Read a definition',
    description: 'Its ETag is the number of its current revision, in quotes.',
    tagged: true,
    permission: 'definitions:read',
    response: envelope(Definition),
  }),
  'definitions.update': endpoint({
    record: { read: 'definitions.read' },
    ...shared,
    method: 'PUT',
    path: '/definitions/{id}',
    summary: 'Change a definition by creating a new revision',
    description: 'Possible in every state; the state does not change. The new revision becomes the current one.',
    permission: 'definitions:write',
    tagged: true,
    body: DefinitionUpdate,
    response: envelope(Definition),
  }),
  'definitions.archive': endpoint({
    ...shared,
    method: 'DELETE',
    path: '/definitions/{id}',
    summary: 'Archive a definition',
    description: 'Removes its containers and keeps its volumes.',
    permission: 'definitions:write',
    query: Type.Object({
      container: Type.Optional(
        choice(['keep', 'remove'], { default: 'remove', description: 'keep leaves the containers running.' }),
      ),
    }),
    response: envelope(Definition),
  }),
  'definitions.activate': endpoint({
    ...shared,
    method: 'POST',
    path: '/definitions/{id}/activate',
    summary: 'Reactivate an archived definition',
    description:
      'It becomes active if a deployment of it ever succeeded, otherwise pending. Refused if its server was removed.',
    permission: 'definitions:write',
    response: envelope(Definition),
  }),
  'definitions.revisions': endpoint({
    ...shared,
    method: 'GET',
    path: '/definitions/{id}/revisions',
    summary: 'List the revisions of a definition, newest first',
    permission: 'definitions:read',
    query: Type.Object({ ...paging }),
    response: list(Revision),
  }),
  'definitions.restore': endpoint({
    method: 'POST',
    path: '/definitions/{id}/revisions/{number}/restore',
    tag: 'definitions',
    summary: 'Make an older revision the current one',
    permission: 'definitions:write',
    params: Type.Object({ ...params.properties, number: idParam('Number of a revision.') }),
    response: envelope(Definition),
  }),
  'definitions.secrets': endpoint({
    ...shared,
    method: 'GET',
    path: '/definitions/{id}/secrets',
    summary: 'List the secrets of a definition, without values',
    permission: 'secrets:read',
    query: Type.Object({ ...paging }),
    response: list(Secret),
  }),
};
