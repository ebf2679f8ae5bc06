import Type, { type Static } from 'typebox';
import { endpoint, LOG_BODY_LIMIT } from '../endpoint.ts';
import { list, paging, Timestamp, topLevel } from '../envelope.ts';
import { executionMachine } from '../machines/execution.ts';
import { choice, id, idParam, nullable } from '../records/fields.ts';
import { InputValue } from '../template/inputs.ts';

export const Execution = Type.Object(
  {
    id: id('execution'),
    instance_id: nullable(id('instance'), { description: 'Null for actions on a server.' }),
    server_id: id('server'),
    slug: Type.String(),
    name: Type.String(),
    kind: choice(['ordered', 'scheduled'], {
      description: 'scheduled: a scheduled job of the template, run by the daemon; slug is then its component.',
    }),
    status: choice(executionMachine.states),
    params: Type.Record(Type.String(), Type.Unknown(), { description: 'Without passwords.' }),
    exit_code: nullable(Type.Integer()),
    output: nullable(Type.String(), { description: 'Output, up to 1 MiB. Omitted in lists.' }),
    output_truncated: Type.Boolean(),
    output_dropped: Type.Boolean({
      description: 'Whether the output was deleted because of its age or the output quota of the account.',
    }),
    error: nullable(Type.String()),
    outcome: nullable(choice(['known', 'unknown']), {
      description: 'unknown: the server lost track of the execution; it is not retried.',
    }),
    cancelling: Type.Boolean({ description: 'Cancellation was requested; the daemon has not confirmed it yet.' }),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    sent_at: nullable(Timestamp),
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
  },
  { title: 'Execution' },
);
export type Execution = Static<typeof Execution>;

export const ListedAction = Type.Object(
  {
    name: Type.String(),
    slug: Type.String(),
    description: Type.String(),
    type: choice(['exec', 'job', 'http', 'builtin']),
    timeout: Type.String({ examples: ['300s'] }),
    dangerous: Type.Boolean(),
    params: Type.Array(
      Type.Object({
        name: Type.String(),
        type: Type.String(),
        required: Type.Boolean(),
        default: Type.Unknown({ description: 'Null if there is none, and for passwords.' }),
        label: Type.Optional(Type.String({ description: 'Label in forms.' })),
        description: Type.Optional(Type.String({ description: 'Help text in forms.' })),
        options: Type.Optional(
          Type.Array(Type.Object({ value: Type.String(), label: Type.Optional(Type.String()) }), {
            description: 'The choices of an enum.',
          }),
        ),
      }),
    ),
  },
  { title: 'ListedAction' },
);
export type ListedAction = Static<typeof ListedAction>;

export const BackupPlan = Type.Object(
  {
    strategy: choice(['none', 'volume', 'dump', 'both']),
    volumes: Type.Array(Type.Object({ name: Type.String(), critical: Type.Boolean() })),
    dump_action: nullable(Type.String()),
    schedule_hint: nullable(Type.String()),
  },
  { title: 'BackupPlan' },
);
export type BackupPlan = Static<typeof BackupPlan>;

export const ActionReport = Type.Object(
  {
    status: choice(['running', 'completed', 'failed', 'timeout', 'cancelled']),
    exit_code: Type.Optional(nullable(Type.Integer())),
    output: Type.Optional(nullable(Type.String({ maxLength: 4_194_304 }))),
    output_truncated: Type.Optional(Type.Boolean()),
    error: Type.Optional(nullable(Type.String({ maxLength: 8_192 }))),
    outcome: Type.Optional(nullable(choice(['known', 'unknown', 'timeout', 'cancelled']))),
    result: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Result of a built-in action.' })),
  },
  { title: 'ActionReport' },
);
export type ActionReport = Static<typeof ActionReport>;

const when = Type.Union([Timestamp, Type.Integer()], { description: 'ISO 8601 or milliseconds since 1970.' });
export const ScheduledReport = Type.Object(
  {
    ...ActionReport.properties,
    execution_id: idParam('Id chosen by the daemon; the same in repeated reports.'),
    definition_id: idParam('The definition of the instance.'),
    component: Type.String({ minLength: 1, maxLength: 63, description: 'The scheduled job.' }),
    status: choice(['completed', 'failed']),
    due_at: when,
    started_at: when,
  },
  { title: 'ScheduledReport' },
);
export type ScheduledReport = Static<typeof ScheduledReport>;

const values = Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_.-]{0,127}$' }), nullable(InputValue), {
  additionalProperties: false,
  maxProperties: 100,
  description: 'Values by param name; null means no value.',
});
const ofInstance = Type.Object({ id: idParam('Id of an instance.') });
const ofExecution = Type.Object({ execution_id: idParam('Id of an execution.') });
const object = topLevel({ execution: Execution, data: Execution });

const historyFilters = {
  slug: Type.Optional(idParam('Only this action.')),
  status: Type.Optional(choice(executionMachine.states, { description: 'Only those in this state.' })),
  kind: Type.Optional(choice(['ordered', 'scheduled'], { description: 'Only ordered or only scheduled executions.' })),
  since: Type.Optional(Type.String({ format: 'date-time', description: 'Only those ordered from this time on.' })),
  until: Type.Optional(Type.String({ format: 'date-time', description: 'Only those ordered before this time.' })),
  ...paging,
};

export const actionEndpoints = {
  'actions.all': endpoint({
    method: 'GET',
    path: '/actions',
    tag: 'actions',
    summary: 'List the executions of all instances, newest first',
    permission: 'actions:read',
    query: Type.Object({ instance_id: Type.Optional(idParam('Only those on this instance.')), ...historyFilters }),
    response: list(Execution),
  }),
  'actions.list': endpoint({
    method: 'GET',
    path: '/instances/{id}/actions',
    tag: 'actions',
    summary: 'List the actions of an instance',
    permission: 'actions:read',
    params: ofInstance,
    response: topLevel({ template_species: Type.String(), actions: Type.Array(ListedAction), backup: BackupPlan }),
  }),
  'actions.execute': endpoint({
    method: 'POST',
    path: '/instances/{id}/actions/{slug}/execute',
    tag: 'actions',
    summary: 'Run an action',
    description: 'Answers at once; poll the execution until it is final. A dangerous action needs actions:dangerous.',
    permission: 'actions:execute',
    idempotent: true,
    status: 202,
    params: Type.Object({ ...ofInstance.properties, slug: idParam('Slug of an action.') }),
    body: Type.Object({ params: Type.Optional(values) }, { additionalProperties: false, examples: [{ params: {} }] }),
    response: object,
  }),
  'actions.read': endpoint({
    method: 'GET',
    path: '/actions/{execution_id}',
    tag: 'actions',
    summary: 'Read an execution',
    permission: 'actions:read',
    daemon: true,
    params: ofExecution,
    response: object,
  }),
  'actions.report': endpoint({
    method: 'PUT',
    path: '/actions/{execution_id}',
    tag: 'actions',
    summary: 'Report the result of an action',
    description: 'For daemons. Repeating the final state is accepted, another one is refused.',
    permission: 'actions:report',
    daemon: true,
    params: ofExecution,
    bodyLimit: LOG_BODY_LIMIT,
    body: ActionReport,
    response: object,
  }),
  'actions.reportScheduled': endpoint({
    method: 'POST',
    path: '/actions/scheduled',
    tag: 'actions',
    summary: 'Report the result of a scheduled job',
    description: 'For daemons. Idempotent.',
    permission: 'actions:report',
    daemon: true,
    bodyLimit: LOG_BODY_LIMIT,
    body: ScheduledReport,
    response: object,
  }),
  'actions.cancel': endpoint({
    method: 'POST',
    path: '/actions/{execution_id}/cancel',
    tag: 'actions',
    summary: 'Cancel an execution',
    description: 'An execution that was not sent yet ends at once; a running one ends when its daemon has stopped it.',
    permission: 'actions:execute',
    params: ofExecution,
    response: object,
  }),
  'actions.history': endpoint({
    method: 'GET',
    path: '/instances/{id}/actions/history',
    tag: 'actions',
    summary: 'List the executions of an instance, newest first',
    permission: 'actions:read',
    params: ofInstance,
    query: Type.Object(historyFilters),
    response: list(Execution),
  }),
};
