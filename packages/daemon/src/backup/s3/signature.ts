import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Given with temporary keys. */
  readonly sessionToken?: string | undefined;
}

export interface Unsigned {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Signing {
  readonly credentials: Credentials;
  readonly region: string;
}

/** Returns the headers with a signature (AWS Signature Version 4) that covers the whole body. */
export async function signed(
  { method, url, headers, body }: Unsigned,
  { credentials, region }: Signing,
): Promise<Record<string, string>> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...headers, 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') },
    service: 's3',
    region,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
  });
  return Object.fromEntries((await signer.sign()).headers);
}
