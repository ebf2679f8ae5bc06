import { hash, randomBytes } from 'node:crypto';
import { pageTokenPrefix } from '@hortus/contract/protocol/page-token';

export type Mode = 'live' | 'test';

/** A secret that is shown once. Only its hash is stored; 256 random bits need no slow hash. */
export interface Token {
  readonly token: string;
  readonly hash: string;
  /** First characters, to identify it. */
  readonly prefix: string;
}

export type KeyKind = 'key' | 'server';

const PREFIXES: Readonly<Record<KeyKind, string>> = { key: 'hk', server: 'hs' };
/** `hk_live_` and four characters of the random part. */
const SHOWN = 12;

const secret = (): string => randomBytes(32).toString('base64url');

export const newUserKey = (mode: Mode): Token => tokenOf(`${PREFIXES.key}_${mode}_${secret()}`);
export const newServerKey = (mode: Mode): Token => tokenOf(`${PREFIXES.server}_${mode}_${secret()}`);
export const newSessionToken = (): Token => tokenOf(secret());

/** The two halves of a session. Neither is accepted without the other, and neither can be derived from the other. */
export interface SessionTokens {
  /** Kept in the cookie, which browsers send to every port of the host. */
  readonly cookie: Token;
  /** Kept by the pages of one scheme, host and port. */
  readonly page: Token;
}

export const newSessionTokens = (): SessionTokens => ({
  cookie: newSessionToken(),
  page: tokenOf(pageTokenPrefix + secret()),
});

export const hashOf = (token: string): string => hash('sha256', token, 'base64url');

export const tokenOf = (token: string): Token => ({
  token,
  hash: hashOf(token),
  prefix: token.slice(0, SHOWN),
});

const FORM = /^(hk|hs)_(live|test)_[\w-]{32,128}$/;

/** Returns the kind of a key by its form; undefined if it is invalid or belongs to the other mode. */
export function kindOfKey(text: string, mode: Mode): KeyKind | undefined {
  const [, prefix, itsMode] = FORM.exec(text) ?? [];
  if (itsMode !== mode) return undefined;
  return prefix === PREFIXES.key ? 'key' : 'server';
}
