import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, test } from 'vitest';
import { readS3Config, s3Variables } from './s3-config.ts';

const keys = { HORTUSD_S3_ACCESS_KEY_ID: 'AKID', HORTUSD_S3_SECRET_ACCESS_KEY: 'very secret' };

test('a bucket and its keys are enough, and no setting means no bucket', () => {
  expect(readS3Config({}, {})).toBeUndefined();
  expect(readS3Config({}, { HORTUSD_S3_BUCKET: '' })).toBeUndefined();
  expect(readS3Config({ 's3-bucket': 'backups' }, keys)).toEqual({
    bucket: 'backups',
    region: 'us-east-1',
    endpoint: 'https://s3.us-east-1.amazonaws.com',
    prefix: '',
    pathStyle: false,
    credentials: { accessKeyId: 'AKID', secretAccessKey: 'very secret', sessionToken: undefined },
    credentialsFile: undefined,
  });
});

test('a self-hosted service with credentials from a file', async () => {
  await using folder = temporaryFolder('s3');
  const file = join(folder.path, 's3.json');
  writeFileSync(file, JSON.stringify({ access_key_id: 'AKID', secret_access_key: 'x', session_token: 't' }));
  const env = { HORTUSD_S3_BUCKET: 'backups', HORTUSD_S3_PREFIX: '/web-1/', HORTUSD_S3_CREDENTIALS_FILE: file };
  const config = readS3Config({ 's3-endpoint': 'http://10.0.0.1:9000' }, env);
  expect(config).toMatchObject({ prefix: 'web-1/', pathStyle: true, credentials: { sessionToken: 't' } });
  expect(readS3Config({}, s3Variables(config))).toEqual(config);
});

test('an incomplete configuration is refused with the missing or wrong setting and without secrets', async () => {
  await using folder = temporaryFolder('s3');
  const file = join(folder.path, 's3.json');
  const why = (options: object, env: Record<string, string> = {}) => {
    try {
      return readS3Config(options, env) && 'accepted';
    } catch (error) {
      expect((error as Error).message).not.toContain('secret,');
      return (error as Error).message;
    }
  };
  expect(why({ 's3-endpoint': 'https://s3.example.org' })).toContain('HORTUSD_S3_BUCKET');
  expect(why({}, keys)).toContain('HORTUSD_S3_BUCKET');
  const bucket = { 's3-bucket': 'backups' };
  expect(why(bucket)).toContain('HORTUSD_S3_ACCESS_KEY_ID');
  expect(why(bucket, { HORTUSD_S3_ACCESS_KEY_ID: 'AKID' })).toContain('HORTUSD_S3_SECRET_ACCESS_KEY');
  expect(why({ 's3-bucket': 'Garden!' }, keys)).toContain('--s3-bucket');
  expect(why({ ...bucket, 's3-endpoint': 's3.example.org/x' }, keys)).toContain('--s3-endpoint');
  expect(why({ ...bucket, 's3-path-style': 'yes' }, keys)).toContain('--s3-path-style');
  expect(why({ ...bucket, 's3-prefix': '../up' }, keys)).toContain('--s3-prefix');
  expect(why({ ...bucket, 's3-credentials-file': '/no/such/file' })).toContain('/no/such/file');
  writeFileSync(file, '{"access_key_id": "AKID", "secret, "');
  expect(why({ ...bucket, 's3-credentials-file': file })).toContain('not JSON');
  writeFileSync(file, '{"access_key_id": "AKID"}');
  expect(why({ ...bucket, 's3-credentials-file': file })).toContain('secret_access_key');
});
