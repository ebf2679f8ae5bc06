import { expect, it } from 'vitest';
import { readDatabaseServers, showDatabaseServers } from './servers.ts';

it('one host stays as it is', () => {
  const url = 'postgres://hortus:p%40ss@db:5432/hortus?sslmode=require';
  expect(readDatabaseServers(url)).toEqual({ urls: [url], checked: false });
});

it('several hosts become one URL each, with the same login, database and parameters', () => {
  const url = 'postgresql://u:p,%40w@one:5432,two,[::1]:5434/db?target_session_attrs=read-write&sslmode=disable';
  expect(readDatabaseServers(url)).toEqual({
    urls: [
      'postgresql://u:p,%40w@one:5432/db?sslmode=disable',
      'postgresql://u:p,%40w@two/db?sslmode=disable',
      'postgresql://u:p,%40w@[::1]:5434/db?sslmode=disable',
    ],
    checked: true,
  });
});

it('one host with target_session_attrs is checked for accepting writes', () => {
  expect(readDatabaseServers('postgres://proxy/db?target_session_attrs=primary')).toEqual({
    urls: ['postgres://proxy/db'],
    checked: true,
  });
});

it.each([
  ['mysql://u:hunter2@one/db', 'must be an address such as postgres://'],
  ['postgres://u:hunter2@one,,two/db', 'names no host at position 2'],
  ['postgres://u:hunter2@one,:5432/db', 'names no host at position 2'],
  ['postgres://u:hunter2@one:x,two/db', 'must be an address such as postgres://'],
  ['postgres://u:hunter2@one,two/db?target_session_attrs=any', 'target_session_attrs must be read-write or primary'],
  [`postgres://u:hunter2@${Array(17).fill('h').join()}/db`, 'must not name more than 16 hosts'],
])('%s is refused, without its password', (url, message) => {
  expect(() => readDatabaseServers(url)).toThrow(message);
  expect(() => readDatabaseServers(url)).not.toThrow(/hunter2/);
});

it('the servers are shown without login and parameters', () => {
  const servers = readDatabaseServers('postgres://u:hunter2@one:5432,two:5433/db?password=hunter2');
  expect(showDatabaseServers(servers)).toBe('postgres://one:5432,two:5433/db');
});
