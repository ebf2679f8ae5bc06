import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { alertMachine } from '../machines/alert.ts';
import { choice, id, idParam, nullable, text } from '../records/fields.ts';
import { channelEndpoints } from './notification-channels.ts';
import { deliveryStatuses } from './webhooks.ts';

/** What a rule watches. */
export const ruleKinds = {
  event: 'An event of one of `types`.',
  server_offline: 'A server is offline for `minutes`.',
  disk_above: 'The disk of a server is fuller than `percent` for `minutes`.',
  memory_above: 'The memory of a server is fuller than `percent` for `minutes`.',
  instance_unhealthy: 'An instance is unhealthy or has failed for `minutes`.',
  restart_loop: 'An instance has restarted `restarts` times within `minutes`.',
  deployment_failed: 'A deployment has failed or timed out.',
  backup_failed: 'A backup has failed.',
  backup_late: 'The newest backup is older than its schedule promises, by `minutes`.',
  certificate_expires: 'The certificate of the address of an instance expires within `days`.',
  upgrade_available: 'An upgrade of an instance is available.',
} as const;
export type RuleKind = keyof typeof ruleKinds;
export const ruleKindNames = Object.keys(ruleKinds) as RuleKind[];

/** Most restarts that a rule can demand: as many start times are stored for each instance. */
export const MAX_RESTARTS = 20;

const thresholds = {
  types: Type.Array(Type.String({ maxLength: 64, pattern: '^[a-z_]+(?:\\.[a-z_]*)?\\*?$' }), {
    minItems: 1,
    maxItems: 32,
    uniqueItems: true,
    description: 'event: types of events; a final * matches any ending.',
    examples: [['action.failed', 'audit.login_*']],
  }),
  minutes: Type.Integer({ minimum: 1, maximum: 10_080, description: 'How long it must last.' }),
  percent: Type.Integer({ minimum: 1, maximum: 99, description: 'disk_above, memory_above: the threshold.' }),
  restarts: Type.Integer({
    minimum: 2,
    maximum: MAX_RESTARTS,
    description: 'restart_loop: number of restarts within `minutes`.',
  }),
  days: Type.Integer({ minimum: 1, maximum: 90, description: 'certificate_expires: days before it expires.' }),
};
export type Thresholds = { -readonly [Name in keyof typeof thresholds]?: Static<(typeof thresholds)[Name]> };

export const NotificationRule = Type.Object(
  {
    id: id('rule'),
    name: Type.String(),
    kind: choice(ruleKindNames),
    types: nullable(thresholds.types),
    minutes: nullable(thresholds.minutes),
    percent: nullable(thresholds.percent),
    restarts: nullable(thresholds.restarts),
    days: nullable(thresholds.days),
    channel_ids: Type.Array(id('channel'), { description: 'Empty: all channels of the account.' }),
    status: choice(['active', 'paused'], { description: 'A paused rule raises no alerts.' }),
    preset: Type.Boolean({ description: 'Created with the account.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'NotificationRule' },
);
export type NotificationRule = Static<typeof NotificationRule>;

const changeable = {
  types: Type.Optional(thresholds.types),
  minutes: Type.Optional(thresholds.minutes),
  percent: Type.Optional(thresholds.percent),
  restarts: Type.Optional(thresholds.restarts),
  days: Type.Optional(thresholds.days),
  channel_ids: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      maxItems: 50,
      uniqueItems: true,
      description: 'Channels to send to; empty means all channels of the account.',
    }),
  ),
  status: Type.Optional(choice(['active', 'paused'])),
};

export const RuleCreate = Type.Object(
  {
    name: text(100),
    kind: choice(ruleKindNames, {
      description: Object.entries(ruleKinds)
        .map(([kind, meaning]) => `${kind}: ${meaning}`)
        .join(' '),
    }),
    ...changeable,
  },
  {
    title: 'RuleCreate',
    additionalProperties: false,
    description: 'Omitted thresholds get defaults; a threshold that the kind does not use is refused.',
    examples: [{ name: 'Disk nearly full', kind: 'disk_above', percent: 80, minutes: 10 }],
  },
);
export type RuleCreate = Static<typeof RuleCreate>;

export const RuleUpdate = Type.Object(
  { name: Type.Optional(text(100)), ...changeable },
  { title: 'RuleUpdate', additionalProperties: false, examples: [{ percent: 95 }, { status: 'paused' }] },
);
export type RuleUpdate = Static<typeof RuleUpdate>;

export const Alert = Type.Object(
  {
    id: id('alert'),
    rule_id: nullable(id('rule'), { description: 'Null if the rule was removed.' }),
    kind: choice(ruleKindNames),
    status: choice(alertMachine.states, { description: 'pending: not yet as long as the rule demands.' }),
    title: Type.String({ description: 'What happened, to what.' }),
    text: Type.String({ description: 'Details.' }),
    fix: Type.String({ description: 'What to do: a command line.' }),
    resource_type: Type.String(),
    resource_id: Type.String(),
    server_id: nullable(id('server')),
    since: Timestamp,
    opened_at: nullable(Timestamp),
    resolved_at: nullable(Timestamp),
    updated_at: Timestamp,
  },
  { title: 'Alert' },
);
export type Alert = Static<typeof Alert>;

export const NotificationDelivery = Type.Object(
  {
    id: id('notification', { description: 'The same in every attempt; receivers can discard duplicates by it.' }),
    channel_id: id('channel'),
    title: Type.String(),
    alerts: Type.Integer({ description: 'Number of alerts that the message reports.' }),
    status: choice(deliveryStatuses, { description: 'dead: failed after 24 hours of retries.' }),
    attempts: Type.Integer(),
    response_code: nullable(Type.Integer(), { description: 'HTTP or SMTP status of the last attempt.' }),
    error: nullable(Type.String(), { description: 'Why the last attempt failed.' }),
    duration_ms: nullable(Type.Integer(), { description: 'Duration of the last attempt.' }),
    next_attempt_at: nullable(Timestamp),
    delivered_at: nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'NotificationDelivery' },
);
export type NotificationDelivery = Static<typeof NotificationDelivery>;

const shared = { tag: 'notifications' } as const;
const ofRule = Type.Object({ id: idParam('Id of a notification rule.') });

export const notificationEndpoints = {
  ...channelEndpoints,
  'notifications.rules': endpoint({
    ...shared,
    method: 'GET',
    path: '/notifications/rules',
    summary: 'List the rules that raise alerts',
    permission: 'notifications:read',
    query: Type.Object({ ...paging }),
    response: list(NotificationRule),
  }),
  'notifications.createRule': endpoint({
    ...shared,
    method: 'POST',
    path: '/notifications/rules',
    summary: 'Create a rule that raises alerts',
    permission: 'notifications:write',
    idempotent: true,
    status: 201,
    body: RuleCreate,
    response: envelope(NotificationRule),
  }),
  'notifications.readRule': endpoint({
    ...shared,
    method: 'GET',
    path: '/notifications/rules/{id}',
    summary: 'Read a rule',
    permission: 'notifications:read',
    params: ofRule,
    response: envelope(NotificationRule),
  }),
  'notifications.updateRule': endpoint({
    ...shared,
    record: { read: 'notifications.readRule' },
    method: 'PATCH',
    path: '/notifications/rules/{id}',
    summary: 'Change, pause or resume a rule',
    description: 'Omitted fields keep their values. Pausing a rule resolves its alerts without a message.',
    permission: 'notifications:write',
    params: ofRule,
    body: RuleUpdate,
    response: envelope(NotificationRule),
  }),
  'notifications.deleteRule': endpoint({
    ...shared,
    method: 'DELETE',
    path: '/notifications/rules/{id}',
    summary: 'Remove a rule',
    description: 'Its alerts are resolved without a message.',
    permission: 'notifications:write',
    params: ofRule,
    response: envelope(NotificationRule),
  }),
  'notifications.alerts': endpoint({
    ...shared,
    method: 'GET',
    path: '/notifications/alerts',
    summary: 'List open and past alerts, newest first',
    permission: 'notifications:read',
    query: Type.Object({
      status: Type.Optional(choice(alertMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(Alert),
  }),
  'notifications.readAlert': endpoint({
    ...shared,
    method: 'GET',
    path: '/notifications/alerts/{id}',
    summary: 'Read an alert',
    permission: 'notifications:read',
    params: Type.Object({ id: idParam('Id of an alert.') }),
    response: envelope(Alert),
  }),
  'notifications.deliveries': endpoint({
    ...shared,
    method: 'GET',
    path: '/notifications/deliveries',
    summary: 'List the messages that were sent or wait, newest first',
    permission: 'notifications:read',
    query: Type.Object({
      channel_id: Type.Optional(idParam('Only those of this channel.')),
      status: Type.Optional(choice(deliveryStatuses, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(NotificationDelivery),
  }),
  'notifications.redeliver': endpoint({
    ...shared,
    method: 'POST',
    path: '/notifications/deliveries/{id}/redeliver',
    summary: 'Send a message again',
    description: 'With the same content and id.',
    permission: 'notifications:write',
    status: 202,
    params: Type.Object({ id: idParam('Id of a delivery.') }),
    response: envelope(NotificationDelivery),
  }),
};
