import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { signed } from './signature.ts';

/** The examples that AWS publishes with the description of the signature. */
const signing = {
  credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  region: 'us-east-1',
};

beforeEach(() => void vi.useFakeTimers({ now: new Date('2013-05-24T00:00:00Z'), toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

async function signatureOf(method: string, path: string, headers: Record<string, string> = {}, body = '') {
  const url = new URL(`https://examplebucket.s3.amazonaws.com${path}`);
  const { authorization = '' } = await signed({ method, url, headers, body: Buffer.from(body) }, signing);
  expect(authorization).toContain('Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,');
  return authorization.slice(authorization.indexOf('Signature=') + 'Signature='.length);
}

test('the signature covers the body', async () => {
  const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
  expect(await signatureOf('PUT', '/test%24file.text', headers, 'Welcome to Amazon S3.')).toBe(
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  );
});

test('the signature covers the query', async () => {
  expect(await signatureOf('GET', '/?lifecycle')).toBe(
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  );
});

test('temporary keys send their token', async () => {
  const { credentials, region } = signing;
  const url = new URL('https://examplebucket.s3.amazonaws.com/');
  const headers = await signed(
    { method: 'GET', url, headers: {}, body: Buffer.alloc(0) },
    { credentials: { ...credentials, sessionToken: 'temporary' }, region },
  );
  expect(headers).toMatchObject({
    'x-amz-security-token': 'temporary',
    authorization: expect.stringContaining('x-amz-security-token'),
  });
});
