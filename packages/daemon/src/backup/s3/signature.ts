import { createHash, createHmac } from 'node:crypto';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** With keys that are lent for a while. */
  readonly sessionToken?: string | undefined;
}

export interface Unsigned {
  readonly method: string;
  /** Where it goes, its path and query encoded as `encoded` does. */
  readonly url: URL;
  /** In lower case; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Signing {
  readonly credentials: Credentials;
  readonly region: string;
  readonly now: Date;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

const hash = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** As a signature wants it: everything but letters, digits and four signs, in capitals. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

export const encodedPath = (path: string): string => path.split('/').map(encoded).join('/');

/** The headers of a request to S3 with its signature (AWS Signature Version 4, in the header, over the whole body). */
export function signed({ method, url, headers, body }: Unsigned, { credentials, region, now }: Signing) {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const payload = hash(body);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': payload,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(all).sort();
  const query = [...url.searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort();
  const request = [
    method,
    url.pathname,
    query.join('&'),
    ...names.map((name) => `${name}:${all[name]?.trim()}`),
    '',
    names.join(';'),
    payload,
  ].join('\n');
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = [ALGORITHM, time, scope, hash(request)].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, text).toString('hex');
  const authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope},SignedHeaders=${names.join(';')},Signature=${signature}`;
  return { ...all, authorization };
}
