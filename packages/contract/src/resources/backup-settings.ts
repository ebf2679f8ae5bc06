import Type, { type Static } from 'typebox';
import { nullable } from '../records/fields.ts';

const Schedule = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    '`on` (the schedule that the template suggests, otherwise daily), `off`, `hourly`, `daily`, `weekly` or a cron expression, in UTC.',
  examples: ['on', '0 3 * * *'],
});
const limit = (description: string, maximum: number) =>
  nullable(Type.Integer({ minimum: 1, maximum }), { description });

/** Schedule and retention of the automatic backups of an instance. */
export const BackupSettings = Type.Object(
  {
    schedule: Schedule,
    verify: Type.String({
      ...Schedule,
      description: 'When the newest backup is verified: `on` is weekly; other values as in schedule.',
    }),
    keep_last: limit('Number of scheduled backups to keep; null for no limit by number.', 1_000),
    keep_days: limit('Days for which scheduled backups are kept; null for no limit by age.', 3_650),
  },
  { title: 'BackupSettings' },
);
export type BackupSettings = Static<typeof BackupSettings>;

export const standardBackup: BackupSettings = { schedule: 'off', verify: 'on', keep_last: 7, keep_days: null };

/** Omitted fields keep their values. */
export const BackupWishes = Type.Partial(BackupSettings, {
  title: 'BackupWishes',
  additionalProperties: false,
  description:
    'Scheduled backups. The newest backup and the newest verified one are kept regardless of the limits; manual backups are kept until they are deleted.',
  examples: [{ schedule: 'on', keep_last: 14 }],
});
export type BackupWishes = Static<typeof BackupWishes>;
