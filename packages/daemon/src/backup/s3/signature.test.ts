import { expect, test } from 'vitest';
import { encodedPath, signed } from './signature.ts';

/** The examples that AWS publishes with its description of the signature. */
const signing = {
  credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  region: 'us-east-1',
  now: new Date('2013-05-24T00:00:00Z'),
};

function signatureOf(method: string, path: string, headers: Record<string, string> = {}, body = ''): string {
  const url = new URL(`https://examplebucket.s3.amazonaws.com${path}`);
  const { authorization } = signed({ method, url, headers, body: Buffer.from(body) }, signing);
  expect(authorization).toContain('Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,');
  return authorization.slice(authorization.indexOf('Signature=') + 'Signature='.length);
}

test('GET of a part of an object', () => {
  expect(signatureOf('GET', '/test.txt', { range: 'bytes=0-9' })).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test('PUT of an object with a sign in its name', () => {
  const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
  const path = encodedPath('/test$file.text');
  expect(path).toBe('/test%24file.text');
  expect(signatureOf('PUT', path, headers, 'Welcome to Amazon S3.')).toBe(
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  );
});

test('a parameter without a value', () => {
  expect(signatureOf('GET', '/?lifecycle')).toBe('fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543');
});

test('a list of objects, its parameters in whatever order', () => {
  const expected = '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7';
  expect(signatureOf('GET', '/?max-keys=2&prefix=J')).toBe(expected);
  expect(signatureOf('GET', '/?prefix=J&max-keys=2')).toBe(expected);
});
