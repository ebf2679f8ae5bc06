import Type, { type Static } from 'typebox';
import { Timestamp } from '../envelope.ts';
import { deploymentMachine } from '../machines/deployment.ts';
import { choice, idParam, nullable } from '../records/fields.ts';
import { DeployedImage, logLevels } from './deployment-records.ts';
import { ReportedComponent, ReportedInstance } from './instance-records.ts';

/** A line as reported by a daemon; unknown fields are ignored, so that versions may differ. */
const ReportedLine = Type.Object({
  at: Type.Union([Timestamp, Type.Integer()], { description: 'ISO 8601 or milliseconds since 1970.' }),
  level: choice(logLevels),
  message: Type.String({ maxLength: 16_384 }),
  step: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
});
export type ReportedLine = Static<typeof ReportedLine>;

const LogPosition = Type.Object({
  source: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Who numbers the lines, for example one run of a daemon.',
  }),
  from: Type.Integer({
    minimum: 0,
    maximum: 1e9,
    description: 'Number of lines of this source before the first line of the report.',
  }),
});
export type LogPosition = Static<typeof LogPosition>;

const reported = {
  claim: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 64 }), {
      description:
        'Token chosen by the daemon for this deployment. After a claim with it, reports without it are refused.',
    }),
  ),
  log_position: Type.Optional(
    nullable(LogPosition, {
      description: 'Position of logs in the whole log; lines that were already received are skipped.',
    }),
  ),
  logs: Type.Optional(Type.Array(ReportedLine, { maxItems: 10_000 })),
  error: Type.Optional(nullable(Type.String({ maxLength: 8_192 }))),
  reason: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
};

export const DeploymentStatusReport = Type.Object(
  {
    status: choice(deploymentMachine.states, {
      description: 'pending is accepted only while the deployment is pending.',
    }),
    container_id: Type.Optional(nullable(Type.String({ maxLength: 128 }))),
    ...reported,
  },
  { title: 'DeploymentStatusReport', examples: [{ status: 'running', logs: [] }] },
);
export type DeploymentStatusReport = Static<typeof DeploymentStatusReport>;

export const DeployReport = Type.Object(
  {
    deployment_id: idParam('The finished deployment.'),
    status: choice(['success', 'failed']),
    instance: Type.Optional(nullable(ReportedInstance)),
    components: Type.Optional(
      Type.Array(ReportedComponent, {
        maxItems: 200,
        description: 'After a success: the containers of the instance, so that they are known as soon as it has ended.',
      }),
    ),
    images: Type.Optional(Type.Array(DeployedImage, { maxItems: 200 })),
    last_lines: Type.Optional(
      Type.Array(Type.String({ maxLength: 1_000 }), {
        maxItems: 30,
        description: 'After the failure of a container: its last lines.',
      }),
    ),
    gap_ms: Type.Optional(nullable(Type.Integer({ minimum: 0, description: 'Downtime of the instance.' }))),
    rollback_of: Type.Optional(
      nullable(
        idParam(
          'The daemon rolled this deployment back because it became unhealthy. deployment_id is then a new id chosen by the daemon.',
        ),
      ),
    ),
    revision: Type.Optional(
      nullable(Type.Integer({ minimum: 1, description: 'With rollback_of: the revision that runs now.' })),
    ),
    ...reported,
  },
  { title: 'DeployReport' },
);
export type DeployReport = Static<typeof DeployReport>;
