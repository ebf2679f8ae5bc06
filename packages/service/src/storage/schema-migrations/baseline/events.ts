import type { EngineName } from '../../session.ts';

/**
 * Events and their numbers. On SQLite `position` is the number, because a single writer inserts in commit order: writing the
 * number separately cost a tenth of a creation. On PostgreSQL commits can overtake each other, so the dispatcher assigns numbers.
 */
export const events = (engine: EngineName): string[] => {
  const [numbers, sequenced] =
    engine === 'sqlite'
      ? ['position integer primary key autoincrement, seq bigint generated always as (position) virtual', '']
      : ['position bigint generated always as identity primary key, seq bigint', ' where seq is not null'];
  return [
    `create table events (
      ${numbers}, id text not null unique, account_id text not null, type text not null, resource_type text not null,
      resource_id text not null, actor text, data text not null, created_at bigint not null)`,
    ...(engine === 'sqlite' ? [] : [`create index events_unsequenced on events (position) where seq is null`]),
    `create index events_of_account on events (account_id, seq)${sequenced}`,
    `create index events_by_type on events (account_id, type, seq)${sequenced}`,
    `create index events_of_resource on events (account_id, resource_id, seq)${sequenced}`,
    `create index events_by_age on events (created_at)`,
  ];
};
