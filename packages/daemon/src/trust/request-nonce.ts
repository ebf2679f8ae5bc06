import { randomBytes } from 'node:crypto';

/** Makes the nonce of one request. What the service signs in its response repeats it, so that a recorded response is recognised. */
export const requestNonce = (): string => randomBytes(24).toString('base64url');
