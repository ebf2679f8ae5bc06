import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, list, paging, Timestamp } from '../envelope.ts';
import { choice, givenId, id, nullable, text } from '../fields.ts';
import { upgradeMachine } from '../machines/upgrade.ts';
import { upgradeSteps } from '../steps.ts';
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

export const upgradeFailures = [
  'backup',
  'refused',
  'changed',
  'deployment',
  'unhealthy',
  'irreversible',
  'rolled_back',
  'return',
  'server_removed',
] as const;

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
    step: nullable(choice(Object.keys(upgradeSteps) as (keyof typeof upgradeSteps)[]), {
      description: 'How far applying it has come, by the playbook upgrade; null while nobody has begun.',
    }),
    from_revision: nullable(Type.Integer({ minimum: 1 }), { description: 'What ran when applying it began.' }),
    revision: nullable(Type.Integer({ minimum: 1 }), { description: 'What applying it has made of that.' }),
    backup_id: nullable(Type.String(), {
      description: 'The backup that was made before, if the template declares one.',
    }),
    deployment_id: nullable(id('deployment'), { description: 'The deployment of the new revision.' }),
    return_id: nullable(id('deployment'), { description: 'The deployment that went back to what ran before.' }),
    reason: nullable(choice(upgradeFailures), { description: 'Why it failed, in one word.' }),
    error: nullable(Type.String(), { description: 'Why it failed, for a person.' }),
    acknowledged_at: nullable(Timestamp),
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
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

export const UpgradeApply = Type.Object(
  {
    inputs: Type.Optional(
      Type.Record(Type.String({ pattern: '^.{1,128}$' }), nullable(InputValue), {
        additionalProperties: false,
        maxProperties: 500,
        description: 'What the newer version asks; null drops a value that it cannot take over.',
      }),
    ),
    profile: Type.Optional(text(63, { description: 'Where the newer version has no longer the one that was chosen.' })),
    variant: Type.Optional(nullable(text(63), { description: 'The same; null takes the default one.' })),
    ignore_capacity: Type.Optional(Type.Boolean({ description: 'Deploy even if it should not fit on the server.' })),
  },
  { title: 'UpgradeApply', additionalProperties: false, examples: [{}] },
);
export type UpgradeApply = Static<typeof UpgradeApply>;

export const UpgradesApply = Type.Object(
  {
    upgrade_ids: Type.Optional(
      Type.Array(givenId('Id of an upgrade.'), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'In this order.',
      }),
    ),
    species: Type.Optional(
      text(63, { description: 'All that are open for it, the oldest first, instead of upgrade_ids.' }),
    ),
  },
  { title: 'UpgradesApply', additionalProperties: false, examples: [{ species: 'inkwell' }] },
);
export type UpgradesApply = Static<typeof UpgradesApply>;

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
  'upgrades.read': endpoint({
    method: 'GET',
    path: '/upgrades/{id}',
    tag: 'upgrades',
    summary: 'Read an upgrade',
    permission: 'upgrades:read',
    params: Type.Object({ id: givenId('Id of an upgrade.') }),
    response: answer(Upgrade),
  }),
  'upgrades.apply': endpoint({
    method: 'POST',
    path: '/upgrades/{id}/apply',
    tag: 'upgrades',
    summary: 'Apply an upgrade',
    description:
      'Makes a revision of the newer version that keeps what was chosen, backs up what the template declares, deploys, and watches. If it does not stay healthy, what ran before runs again, and the upgrade has failed with the reason. What the newer version asks and nobody has answered is refused by name.',
    permission: 'upgrades:write',
    status: 202,
    params: Type.Object({ id: givenId('Id of an upgrade.') }),
    body: UpgradeApply,
    response: answer(Upgrade),
  }),
  'upgrades.applyAll': endpoint({
    method: 'POST',
    path: '/upgrades/apply',
    tag: 'upgrades',
    summary: 'Apply several upgrades, one after another',
    description:
      'Each begins when the one before has been applied; the first that fails is the last. All must be ready. Answers them in their order.',
    permission: 'upgrades:write',
    status: 202,
    body: UpgradesApply,
    response: answer(Type.Object({ upgrades: Type.Array(Upgrade) })),
  }),
};
