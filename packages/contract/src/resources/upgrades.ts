import Type, { type Static } from 'typebox';
import { upgradeSteps } from '../actions/steps.ts';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { upgradeMachine } from '../machines/upgrade.ts';
import { choice, id, idParam, nullable, text } from '../records/fields.ts';
import { INPUT_TYPES, InputValue } from '../template/inputs.ts';
import { freshBackup, Rehearsal } from './rehearsals.ts';

const side = nullable(Type.String(), { description: 'Text of the template, before values are filled in.' });

/** One difference in the newer template. Texts are those of the template, before values are filled in. */
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
  component: nullable(Type.String(), { description: 'Null for changes of the template as a whole.' }),
  name: Type.String(),
  change: choice(['added', 'removed', 'changed']),
  from: side,
  to: side,
});

export type Change = Static<typeof Change>;

export const UpgradeRefusal = Type.Object({
  reason: Type.String({ description: 'What the upgrade would lose, or why it would fail.' }),
  instead: Type.String({ description: 'What to do instead of the upgrade.' }),
});
export type UpgradeRefusal = Static<typeof UpgradeRefusal>;

const upgradeFailures = [
  'rehearsal',
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
    from_version: Type.String({ description: 'Version of the running template.' }),
    to_version: Type.String(),
    from_template_id: id('template'),
    to_template_id: id('template'),
    status: choice(upgradeMachine.states),
    ready: Type.Boolean({ description: 'Whether it has no conflicts and needs no input.' }),
    changes: Type.Array(Change),
    conflicts: Type.Array(
      Type.Object({
        field: Type.String({
          description: 'The setting in conflict: an input, the profile, the variant, or the version.',
        }),
        reason: choice([
          'input_removed',
          'input_invalid',
          'variant_removed',
          'profile_removed',
          'required_stop',
          'no_dump',
          'refused',
        ]),
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
      { description: 'Inputs of the newer version without a value.' },
    ),
    irreversible: Type.Array(
      Type.Object({
        component: Type.String(),
        reason: choice(['job', 'volume_removed', 'volume_moved']),
        message: Type.String(),
      }),
      { description: 'Changes that a rollback would not undo.' },
    ),
    notes: Type.Array(Type.Object({ version: Type.String(), text: Type.String() }), {
      description: 'Notes of the newer template about versions of the application that this upgrade reaches or passes.',
    }),
    stops: Type.Array(Type.String(), {
      description:
        'Required stops between the running version and the newest one, in order. The upgrade leads to the first of them; the next one is offered once it is applied.',
    }),
    refusal: nullable(UpgradeRefusal, {
      description:
        'Why the newer version does not take the data of the running one; such an upgrade cannot be applied.',
    }),
    data: choice(['kept', 'dump_restore'], {
      description:
        'kept: the volumes stay. dump_restore: the data is dumped with the running version and restored into new volumes of the newer one.',
    }),
    step: nullable(choice(Object.keys(upgradeSteps) as (keyof typeof upgradeSteps)[]), {
      description: 'Current step of the playbook upgrade; null before it is applied.',
    }),
    from_revision: nullable(Type.Integer({ minimum: 1 }), { description: 'Revision before the upgrade.' }),
    revision: nullable(Type.Integer({ minimum: 1 }), { description: 'Revision created by the upgrade.' }),
    rehearsal_id: nullable(id('rehearsal'), { description: 'The rehearsal that had to pass first, if requested.' }),
    backup_id: nullable(Type.String(), {
      description: 'The backup made before the upgrade, if the template declares one.',
    }),
    deployment_id: nullable(id('deployment'), { description: 'The deployment of the new revision.' }),
    return_id: nullable(id('deployment'), { description: 'The deployment that rolled the upgrade back.' }),
    reason: nullable(choice(upgradeFailures), { description: 'Why it failed, in one word.' }),
    error: nullable(Type.String(), { description: 'Why it failed, for people.' }),
    acknowledged_at: nullable(Timestamp),
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Upgrade' },
);
export type Upgrade = Static<typeof Upgrade>;

const UpgradeScan = Type.Object(
  { instance_id: Type.Optional(idParam('Only this instance; by default all instances of the account.')) },
  { title: 'UpgradeScan', additionalProperties: false, examples: [{}] },
);

export const UpgradeScanResult = Type.Object(
  {
    scanned: Type.Integer({ description: 'Number of scanned instances.' }),
    found: Type.Integer({ description: 'Number of new upgrades.' }),
    superseded: Type.Integer({
      description: 'Number of removed upgrades: a newer version was published, or runs already.',
    }),
    available: Type.Integer({ description: 'Number of upgrades of these instances that can be applied now.' }),
    refused: Type.Integer({
      description:
        'Number of upgrades of these instances that the newer version refuses; each says what to do instead.',
    }),
    scanned_at: Timestamp,
  },
  { title: 'UpgradeScanResult' },
);
export type UpgradeScanResult = Static<typeof UpgradeScanResult>;

const choices = {
  inputs: Type.Optional(
    Type.Record(Type.String({ pattern: '^.{1,128}$' }), nullable(InputValue), {
      additionalProperties: false,
      maxProperties: 500,
      description: 'Values for new inputs; null drops a value that the newer version does not accept.',
    }),
  ),
  profile: Type.Optional(text(63, { description: 'Required if the newer version does not have the current profile.' })),
  variant: Type.Optional(
    nullable(text(63), {
      description: 'Required if the newer version does not have the current variant; null is the default variant.',
    }),
  ),
  ignore_capacity: Type.Optional(
    Type.Boolean({ description: 'Deploy even if the reported capacity of the server is too small.' }),
  ),
};

export const UpgradeApply = Type.Object(
  {
    ...choices,
    rehearse: Type.Optional(
      Type.Boolean({
        description: 'Rehearse it first, with the newest backup; it is applied only if the rehearsal passes.',
      }),
    ),
    without_backup: Type.Optional(
      Type.Boolean({
        description:
          'Apply it without the declared backup: nothing can bring the present data back. Refused if the data is rebuilt from the backup, and together with rehearse.',
      }),
    ),
  },
  { title: 'UpgradeApply', additionalProperties: false, examples: [{}] },
);
export type UpgradeApply = Static<typeof UpgradeApply>;

export const UpgradeRehearse = Type.Object(
  { ...choices, ...freshBackup },
  { title: 'UpgradeRehearse', additionalProperties: false, examples: [{}] },
);
export type UpgradeRehearse = Static<typeof UpgradeRehearse>;

export const UpgradesApply = Type.Object(
  {
    upgrade_ids: Type.Optional(
      Type.Array(idParam('Id of an upgrade.'), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'In this order.',
      }),
    ),
    species: Type.Optional(
      text(63, { description: 'All available upgrades of this species, oldest first, instead of upgrade_ids.' }),
    ),
    rehearse: Type.Optional(
      Type.Boolean({ description: 'Rehearse each one first; the first that does not pass stops the sequence.' }),
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
    description: 'Each lists what would change compared with the running template and the current settings.',
    permission: 'upgrades:read',
    query: Type.Object({
      instance_id: Type.Optional(idParam('Only those of this instance.')),
      definition_id: Type.Optional(idParam('Only those of this definition.')),
      server_id: Type.Optional(idParam('Only those on this server.')),
      species: Type.Optional(idParam('Only those of this species.')),
      status: Type.Optional(choice(upgradeMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(Upgrade),
  }),
  'upgrades.scan': endpoint({
    method: 'POST',
    path: '/upgrades/scan',
    tag: 'upgrades',
    summary: 'Scan for upgrades now',
    description:
      'Compares running instances with the published templates. The service also scans periodically, by default once a day.',
    permission: 'upgrades:write',
    body: UpgradeScan,
    response: envelope(UpgradeScanResult),
  }),
  'upgrades.acknowledge': endpoint({
    method: 'POST',
    path: '/upgrades/{id}/ack',
    tag: 'upgrades',
    summary: 'Acknowledge an upgrade without applying it',
    permission: 'upgrades:write',
    params: Type.Object({ id: idParam('Id of an upgrade.') }),
    response: envelope(Upgrade),
  }),
  'upgrades.read': endpoint({
    method: 'GET',
    path: '/upgrades/{id}',
    tag: 'upgrades',
    summary: 'Read an upgrade',
    permission: 'upgrades:read',
    params: Type.Object({ id: idParam('Id of an upgrade.') }),
    response: envelope(Upgrade),
  }),
  'upgrades.apply': endpoint({
    method: 'POST',
    path: '/upgrades/{id}/apply',
    tag: 'upgrades',
    summary: 'Apply an upgrade',
    description:
      'Creates a revision of the newer version with the current settings, makes the declared backup unless without_backup is set, deploys, and watches. If the instance becomes unhealthy, it is rolled back and the upgrade fails with the reason. Refused with the name of the input if a required input has no value.',
    permission: 'upgrades:write',
    status: 202,
    params: Type.Object({ id: idParam('Id of an upgrade.') }),
    body: UpgradeApply,
    response: envelope(Upgrade),
  }),
  'upgrades.rehearse': endpoint({
    method: 'POST',
    path: '/upgrades/{id}/rehearse',
    tag: 'rehearsals',
    summary: 'Rehearse an upgrade on a copy',
    description:
      'Restores the newest backup of the running revision into an isolated copy on the same server, applies the upgrade there with its jobs, waits until it is healthy, runs the smoke test, reports, and removes the copy. The copy has no routes, no schedules and no network connection to the outside. The running instance is not touched, unless a fresh backup is requested that has to stop it. Poll GET /rehearsals/{id}.',
    permission: 'upgrades:write',
    status: 202,
    params: Type.Object({ id: idParam('Id of an upgrade.') }),
    body: UpgradeRehearse,
    response: envelope(Rehearsal),
  }),
  'upgrades.applyAll': endpoint({
    method: 'POST',
    path: '/upgrades/apply',
    tag: 'upgrades',
    summary: 'Apply several upgrades, one after another',
    description:
      'Each starts when the previous one has been applied; the first failure stops the sequence. All must be ready. Returns them in order.',
    permission: 'upgrades:write',
    status: 202,
    body: UpgradesApply,
    response: envelope(Type.Object({ upgrades: Type.Array(Upgrade) })),
  }),
};
