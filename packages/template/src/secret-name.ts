const SECRET =
  /(^|_)(pass|passwd|password|passphrase|pwd|secret|token|credentials?|(api|private|secret|encryption|signing|master|jwt)_?key)($|_)/i;
/** What these name is something about a secret, and may be read by everybody. */
const ABOUT =
  /(_|^)(file|path|name|user|username|id|url|uri|host|header|issuer|audience|algorithm|type|method|policy|mode|length|ttl|expiry|expires|expiration|lifetime|timeout|enabled|disabled|hint|prompt)$/i;

/** Whether a variable of this name holds something that nobody else should know. */
export function looksSecret(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[.-]/g, '_');
  return SECRET.test(words) && !ABOUT.test(words) && !/^(enable|disable|allow|require|use|show|hide)_/i.test(words);
}
