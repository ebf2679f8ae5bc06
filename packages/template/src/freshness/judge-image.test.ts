import { describe, expect, it } from 'vitest';
import { digestsIn, judgeImage } from './judge-image.ts';
import { readVersionTable } from './version-table.ts';

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const TABLE = `# Tags seen somewhere.
repository\ttag\tdigest\tstores
docker.io/library/postgres\t18\t\t4
docker.io/library/postgres\t18.4\t\t2
docker.io/library/postgres\t18.4-alpine\t${digest('a')}\t2
docker.io/library/postgres\t17.10\t${digest('b')}\t1
docker.io/library/postgres\t17.10-alpine\t\t1
docker.io/library/postgres\t17.5\t${digest('b')}\t1
docker.io/mongo\t9.0.0-rc1\t\t1
docker.io/mongo\t8.3.7\t${digest('c')}\t1
docker.io/mongo\t8.3\t${digest('c')}\t1
docker.io/library/odoo\t19\t${digest('d')}\t1
docker.io/photoprism/photoprism\t260305\t\t1
ghcr.io/example/moved\t20240101\t\t1
ghcr.io/example/moved\t2.1.0\t\t1
`;
const table = readVersionTable(TABLE);
const judge = (repository: string, tag: string | undefined, more = {}) =>
  judgeImage({ repository, ...(tag !== undefined && { tag }), ...more }, table);

describe('an image', () => {
  it('is behind a newer line and a newer version of its own', () => {
    expect(judge('docker.io/library/postgres', '17.5')).toMatchObject({
      verdict: 'behind',
      newest: '18.4',
      newestOfLine: '17.10',
    });
    expect(judge('photoprism/photoprism', '250321')).toMatchObject({ verdict: 'behind', newest: '260305' });
  });

  it('is compared with stable versions of its flavour and its way of counting', () => {
    expect(judge('docker.io/library/postgres', '18.4-alpine3.22')).toMatchObject({ verdict: 'current' });
    expect(judge('docker.io/library/mongo', '8.3.7', { digest: digest('c') })).toMatchObject({
      verdict: 'current',
      newest: '8.3.7',
    });
    expect(judge('ghcr.io/example/moved', '2.1.0')).toMatchObject({ verdict: 'current' });
    expect(judge('docker.io/library/postgres', '17.5-bookworm')).toMatchObject({
      verdict: 'current',
      newest: undefined,
    });
  });

  it('follows the line that its template holds, with the reason', () => {
    const held = { at: '17', reason: 'Version 18 has another data folder.' };
    expect(judge('docker.io/library/postgres', '17.10', { held })).toMatchObject({
      verdict: 'held',
      newest: '18.4',
      reason: held.reason,
    });
    expect(judge('docker.io/library/postgres', '17.5', { held })).toMatchObject({
      verdict: 'behind',
      reason: 'held at 17, which has 17.10',
    });
    expect(judge('docker.io/library/postgres', '18.4', { held })).toMatchObject({
      verdict: 'behind',
      reason: 'held at 17, but the tag is not of that line',
    });
  });

  it('stays at its very version if no line is named', () => {
    const held = { reason: 'Newer versions need a licence.' };
    expect(judge('docker.io/library/postgres', '17.5', { held })).toMatchObject({ verdict: 'held' });
  });

  it('should use a known digest, unless a newer version has the same', () => {
    expect(judge('docker.io/library/mongo', '8.3.7')).toMatchObject({ verdict: 'unpinned', digest: digest('c') });
    const held = { reason: 'kept' };
    expect(judge('docker.io/library/postgres', '17.10', { held }).digest).toBe(digest('b'));
    expect(judge('docker.io/library/postgres', '17.5', { held }).digest).toBeUndefined();
  });

  it('with a pinned incomplete tag is not behind a version that it may mean', () => {
    expect(judge('docker.io/library/odoo', '19', { digest: digest('d') })).toMatchObject({ verdict: 'current' });
  });

  it('without a version or without a line in the table is unknown', () => {
    expect(judge('ghcr.io/example/none', '1.0.0')).toMatchObject({
      verdict: 'unknown',
      reason: 'the table does not have the repository',
    });
    expect(judge('docker.io/library/odoo', 'latest')).toMatchObject({ reason: 'the tag names no version' });
    expect(judge('docker.io/library/odoo', undefined, { digest: digest('d') })).toMatchObject({ verdict: 'unknown' });
  });
});

describe('a table', () => {
  it('may have comments, a heading and short names', () => {
    expect(table.get('docker.io/library/mongo')?.map(({ tag }) => tag)).toEqual(['9.0.0-rc1', '8.3.7', '8.3']);
    expect(digestsIn(table)).toBe(6);
  });

  it.each([
    ['docker.io/library/redis', 'line 2: needs a repository and a tag, separated by a tab'],
    ['docker.io/library/redis\t8.2.2\tsha256:abc', 'line 2: "sha256:abc" is not a sha256 digest'],
  ])('with the line %j is refused with the number of the line', (line, message) => {
    expect(() => readVersionTable(`# Tags\n${line}\n`)).toThrow(message);
  });
});
