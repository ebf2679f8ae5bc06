import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, list, paging, Timestamp } from '../envelope.ts';
import { choice, givenId, id, nullable } from '../fields.ts';
import { upgradeMachine } from '../machines/upgrade.ts';
import { INPUT_TYPES, InputValue } from '../template/inputs.ts';

const side = nullable(Type.String(), { description: 'As the template says it, before values are filled in.' });

/** One thing that is different in the newer template. Texts are the template's own, before anything is filled in. */
export const Change = Type.Object({
  area: choice([
    'application',
    'component',
    'image',
    'env',
    'volume',
    'port',
    'file',
    'setting',
    'route',
    'secret',
    'input',
    'permission',
  ]),
  component: nullable(Type.String(), { description: 'Null for what belongs to the template as a whole.' }),
  name: Type.String(),
  change: choice(['added', 'removed', 'changed']),
  from: side,
  to: side,
});

export type Change = Static<typeof Change>;

export const Upgrade = Type.Object(
  {
    id: id('upgrade'),
    instance_id: id('instance'),
    instance_name: Type.String(),
    definition_id: id('definition'),
    server_id: id('server'),
    species: Type.String(),
    from_version: Type.String({ description: 'Of the template that runs.' }),
    to_version: Type.String(),
    from_template_id: id('template'),
    to_template_id: id('template'),
    status: choice(upgradeMachine.states),
    ready: Type.Boolean({ description: 'It conflicts with nothing and needs no input.' }),
    changes: Type.Array(Change),
    conflicts: Type.Array(
      Type.Object({
        field: Type.String({ description: 'What was chosen: an input, the profile or the variant.' }),
        reason: choice(['input_removed', 'input_invalid', 'variant_removed', 'profile_removed']),
        message: Type.String(),
      }),
    ),
    new_inputs: Type.Array(
      Type.Object({
        name: Type.String(),
        type: choice(INPUT_TYPES),
        label: nullable(Type.String()),
        description: nullable(Type.String()),
        required: Type.Boolean(),
        default: nullable(InputValue),
      }),
      { description: 'What the newer version asks and nobody has answered.' },
    ),
    irreversible: Type.Array(
      Type.Object({
        component: Type.String(),
        reason: choice(['job', 'volume_removed', 'volume_moved']),
        message: Type.String(),
      }),
      { description: 'What going back would not undo.' },
    ),
    acknowledged_at: nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Upgrade' },
);
export type Upgrade = Static<typeof Upgrade>;

export const UpgradeScan = Type.Object(
  { instance_id: Type.Optional(givenId('Only this instance; all of the account if left out.')) },
  { title: 'UpgradeScan', additionalProperties: false, examples: [{}] },
);

export const UpgradeScanResult = Type.Object(
  {
    scanned: Type.Integer({ description: 'Instances that were looked at.' }),
    found: Type.Integer({ description: 'Upgrades that were not known before.' }),
    superseded: Type.Integer({ description: 'Upgrades that are gone: a newer version is out, or runs already.' }),
    available: Type.Integer({ description: 'Upgrades of these instances that wait for a decision now.' }),
    scanned_at: Timestamp,
  },
  { title: 'UpgradeScanResult' },
);
export type UpgradeScanResult = Static<typeof UpgradeScanResult>;

export const upgradeEndpoints = {
  'upgrades.list': endpoint({
    method: 'GET',
    path: '/upgrades',
    tag: 'upgrades',
    summary: 'List the upgrades of running instances',
    description: 'Each says what would change, compared with the template that runs and with what was chosen for it.',
    permission: 'upgrades:read',
    query: Type.Object({
      instance_id: Type.Optional(givenId('Only those of this instance.')),
      definition_id: Type.Optional(givenId('Only those of this definition.')),
      server_id: Type.Optional(givenId('Only those on this server.')),
      species: Type.Optional(givenId('Only those of this species.')),
      status: Type.Optional(choice(upgradeMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(Upgrade),
  }),
  'upgrades.scan': endpoint({
    method: 'POST',
    path: '/upgrades/scan',
    tag: 'upgrades',
    summary: 'Look for upgrades now',
    description:
      'Holds what runs against the published templates. The service does so by itself, once a day unless set.',
    permission: 'upgrades:write',
    bodyOptional: true,
    body: UpgradeScan,
    response: answer(UpgradeScanResult),
  }),
  'upgrades.acknowledge': endpoint({
    method: 'POST',
    path: '/upgrades/{id}/ack',
    tag: 'upgrades',
    summary: 'Acknowledge an upgrade without applying it',
    permission: 'upgrades:write',
    params: Type.Object({ id: givenId('Id of an upgrade.') }),
    response: answer(Upgrade),
  }),
};
