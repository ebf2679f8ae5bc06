import Type, { type Static } from 'typebox';
import { nullable } from '../fields.ts';

const Schedule = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    '`on` (as the template suggests, otherwise daily), `off`, `hourly`, `daily`, `weekly` or a cron line, in UTC.',
  examples: ['on', '0 3 * * *'],
});
const limit = (description: string, maximum: number) =>
  nullable(Type.Integer({ minimum: 1, maximum }), { description });

/** When an instance is backed up by itself, and what is kept of that. */
export const BackupSettings = Type.Object(
  {
    schedule: Schedule,
    verify: Type.String({
      ...Schedule,
      description: 'When the newest backup is proven: `on` is weekly. Otherwise as schedule.',
    }),
    keep_last: limit('So many scheduled backups are kept; null for no limit by number.', 1_000),
    keep_days: limit('Scheduled backups are kept for so many days; null for no limit by age.', 3_650),
  },
  { title: 'BackupSettings' },
);
export type BackupSettings = Static<typeof BackupSettings>;

export const standardBackup: BackupSettings = { schedule: 'off', verify: 'on', keep_last: 7, keep_days: null };

/** What is left out stays as it is. */
export const BackupWishes = Type.Partial(BackupSettings, {
  title: 'BackupWishes',
  additionalProperties: false,
  description:
    'Backups by schedule. The newest backup and the newest that was proven are kept whatever the limits say; what somebody ordered by hand is kept until somebody deletes it.',
  examples: [{ schedule: 'on', keep_last: 14 }],
});
export type BackupWishes = Static<typeof BackupWishes>;
