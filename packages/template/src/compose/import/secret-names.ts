import type { Secret } from '@hortus/contract/template/secrets';

const SECRET =
  /(^|[_.-])(pass|passwd|passwort|password|passphrase|pwd|secret|token|credentials?|(api|app|access|admin|auth|crypt|crypto|encrypt|encryption|hash|jwt|master|private|secret|session|shared|signing|webhook|cookie)_?(key|secret|token|pass(word)?)|salt|key_?base)(_?\d{1,9})?$/i;
/** Names about a secret that do not hold one, such as its length or whether it may be empty. */
const ABOUT = /(^|[_.-])(allow_?empty|random|has|use|enabled?|disabled?|required?|min|max|length|public)([_.-]|$)/i;
const SWITCH = /^(yes|no|true|false|on|off|0|1|none|null|optional|required)$/i;

/** Tells whether a variable of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const short = name.replaceAll('__', '_').replace(/([a-z])([A-Z])/g, '$1_$2');
  return SECRET.test(short) && !ABOUT.test(short);
}

/** Tells whether a text can be a secret, rather than a switch, a path or an address. */
export function isSecretValue(value: string): boolean {
  return value.length >= 3 && !SWITCH.test(value) && !/^(\/|\.|https?:)/.test(value) && !/\s/.test(value);
}

/** Returns a generator for values similar to a given one. */
export function generatorLike(value: string): Secret {
  const { length } = value;
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return { generate: 'uuid' };
  if (length >= 16 && length % 2 === 0 && /^[0-9a-f]+$/.test(value)) return { generate: 'hex', length };
  if (length >= 24 && length % 4 === 0 && /^[A-Za-z0-9+/]+={1,2}$/.test(value)) {
    const padding = value.endsWith('==') ? 2 : 1;
    return { generate: 'base64', length: (length / 4) * 3 - padding, unit: 'bytes' };
  }
  // Letters and digits need no quoting in any context.
  return { generate: 'alnum', length: length >= 16 && length <= 128 ? length : 32 };
}

/** A key whose application reads how it is encoded, such as `base64:…`. */
const MARKED_KEY = /^([a-z][a-z0-9]{1,9}:)([A-Za-z0-9+/=_-]{16,})$/;

/** Splits a secret into a mark that stays as it is, and the part to generate. */
export function splitMark(value: string): { mark: string; rest: string } {
  const [, mark = '', rest = value] = MARKED_KEY.exec(value) ?? [];
  return { mark, rest };
}
