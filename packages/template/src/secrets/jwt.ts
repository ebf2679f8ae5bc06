import { createHmac } from 'node:crypto';

/** Creates a JSON web token signed with HS256. */
export function signedToken(claims: Record<string, unknown>, key: string): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${content}.${createHmac('sha256', key).update(content).digest('base64url')}`;
}
