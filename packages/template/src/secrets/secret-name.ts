const SECRET =
  /(^|_)(pass|passwd|password|passphrase|pwd|secret|token|credentials?|(api|private|secret|encryption|signing|master|jwt)_?key)($|_)/i;
/** Names about a secret, such as its path or its length, whose values are not secret. */
const ABOUT =
  /(_|^)(file|path|name|user|username|id|url|uri|host|header|issuer|audience|algorithm|type|method|policy|mode|length|ttl|expiry|expires|expiration|lifetime|timeout|enabled|disabled|hint|prompt)$/i;

/** Tells whether a variable of this name holds a secret. */
export function looksSecret(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[.-]/g, '_');
  return SECRET.test(words) && !ABOUT.test(words) && !/^(enable|disable|allow|require|use|show|hide)_/i.test(words);
}
