import type { Backup } from '@hortus/contract/resources/backups';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { expect, test } from 'vitest';
import { findCommand, readCommandLine } from '../command-line/command-line.ts';
import { commands } from '../commands/all.ts';
import * as records from '../testing/records.ts';
import { type Condition, findingsOf } from './findings.ts';

const now = Date.parse(records.moment(0)) + 3_600_000;
const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
const { definition: id } = records.ids;

const well: Condition = {
  servers: [records.server()],
  instances: [records.instance()],
  definitions: [records.definition()],
  deployments: new Map([[id, records.deployment({ status: 'success' })]]),
  backups: new Map(),
  upgrades: [],
};
const found = (over: Partial<Condition>) =>
  findingsOf({ ...well, ...over }, now).map(({ state, name, message, command }) => [state, name, message, command]);

const backup = (over: Partial<Backup>) =>
  ({
    id: 'bkp_1',
    status: 'completed',
    error: null,
    verify_error: null,
    created_at: hoursAgo(1),
    finished_at: hoursAgo(1),
    ...over,
  }) as Backup;
const backups = (newest: Backup, completed: Backup | undefined = newest) => new Map([[id, { newest, completed }]]);
const scheduled = (schedule: string) => [
  records.definition({ backup: { schedule, verify: 'on', keep_last: 7, keep_days: null }, updated_at: hoursAgo(400) }),
];

const upgrade = {
  id: 'upg_1',
  instance_name: 'feeds',
  from_version: '1.0.0',
  to_version: '1.1.0',
  ready: true,
  status: 'available',
} as Upgrade;

test('nothing is found while all is well, and a stopped instance is meant to be stopped', () => {
  expect(found({})).toEqual([]);
  expect(found({ instances: [records.instance({ status: 'stopped', health: 'unknown' })] })).toEqual([]);
});

test('an offline server is one problem, with the instances that are lost with it', () => {
  const servers = [records.server({ status: 'offline', last_seen_at: hoursAgo(1) })];
  const instances = [1, 2].map(() => records.instance({ status: 'lost', health: 'unknown' }));
  expect(found({ servers, instances })).toEqual([
    [
      'problem',
      'web-1',
      'Offline, last seen 1 h ago; the state of 2 instances is unknown.',
      'ssh web-1 systemctl status hortusd',
    ],
  ]);
});

test.each([
  [{ status: 'failed', health: 'unknown' }, 'It does not keep running.'],
  [{ status: 'restarting', health: 'unknown' }, 'It is restarting.'],
  [{ status: 'running', health: 'unhealthy' }, 'Its health check fails.'],
] as const)('an instance with %o is a problem whose command shows its logs', (over, message) => {
  expect(found({ instances: [records.instance(over)] })).toEqual([['problem', 'feeds', message, 'hortus logs feeds']]);
});

test('the last deployment counts, and a cancelled one is no problem', () => {
  const failed = {
    status: 'failed',
    reason: 'unhealthy',
    error: 'app was not healthy\nits last lines',
    finished_at: hoursAgo(3),
  } as const;
  expect(found({ deployments: new Map([[id, records.deployment(failed)]]) })).toEqual([
    [
      'problem',
      'feeds',
      'Its last deployment failed 3 h ago: app was not healthy',
      'hortus deploy --definition feeds --wait',
    ],
  ]);
  const cancelled = records.deployment({ ...failed, reason: 'cancelled' });
  expect(found({ deployments: new Map([[id, cancelled]]) })).toEqual([]);
});

test('a failed backup is a problem until a later one succeeds', () => {
  const failed = backup({ status: 'failed', error: 'The disk is full.', finished_at: hoursAgo(2) });
  expect(found({ backups: backups(failed, backup({})) })).toEqual([
    ['problem', 'feeds', 'Its last backup failed 2 h ago: The disk is full.', 'hortus backups create feeds --wait'],
  ]);
  expect(found({ backups: backups(backup({})) })).toEqual([]);
});

test('scheduled backups are late after two missed times, and never while they are off', () => {
  const daily = { definitions: scheduled('daily') };
  expect(found({ ...daily, backups: backups(backup({ created_at: hoursAgo(20) })) })).toEqual([]);
  expect(found({ ...daily, backups: backups(backup({ created_at: hoursAgo(60) })) })).toEqual([
    [
      'problem',
      'feeds',
      'Its scheduled backups are late: the last one was made 2 days ago.',
      'hortus backups create feeds --wait',
    ],
  ]);
  expect(found({ ...daily, backups: new Map() })[0]?.[2]).toBe('Its scheduled backups are late: it has none.');
  expect(found({ definitions: scheduled('off') })).toEqual([]);
  expect(found({ definitions: scheduled('on'), backups: backups(backup({ created_at: hoursAgo(60) })) })).toEqual([]);
});

test('an available upgrade is only a note, and comes after the problems', () => {
  const servers = [records.server({ status: 'offline' })];
  expect(found({ upgrades: [upgrade], servers }).map(([state]) => state)).toEqual(['problem', 'note']);
  expect(found({ upgrades: [upgrade] })).toEqual([
    ['note', 'feeds', 'An upgrade from 1.0.0 to 1.1.0 is available.', 'hortus upgrades apply feeds --wait'],
  ]);
  const refusal = { reason: 'Files would be lost.', instead: 'Move them by hand.' };
  const message = 'An upgrade from 1.0.0 to 1.1.0 is refused: Files would be lost. Move them by hand.';
  expect(found({ upgrades: [{ ...upgrade, refusal }] })).toEqual([['note', 'feeds', message, 'hortus upgrades list']]);
});

test('every command that is suggested exists', () => {
  const servers = [
    records.server({ status: 'draining', identity: { ...records.server().identity, status: 'conflict' } }),
  ];
  const drift = [{ component: null, field: 'component', declared: 'a', actual: null }];
  const instances = [records.instance({ drift }), records.instance({ health: 'unhealthy' })];
  const unverified = backups(backup({ verify_error: 'It cannot be read.' }));
  const upgrades = (['available', 'failed'] as const).map((status) => ({ ...upgrade, status }));
  const deployments = new Map([[id, records.deployment({ status: 'failed', error: 'No.' })]]);
  const suggested = found({ servers, instances, backups: unverified, upgrades, deployments }).map(
    ([, , , text]) => text,
  );
  expect(suggested).toHaveLength(8);
  for (const text of suggested) {
    const [, ...words] = (text as string).split(' ');
    const { command, rest } = findCommand(words, commands);
    expect(() => readCommandLine(command, rest), text).not.toThrow();
  }
});
