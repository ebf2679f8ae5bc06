import type { Secret } from '@hortus/contract/template/secrets';

/** Variables with predefined meanings by name: `SERVICE_<what>_<length>_<whose>`. */
export type Magic =
  | { kind: 'address'; form: 'host' | 'url'; id: string; port?: number }
  | { kind: 'secret'; secret: Secret; needs?: string };

const ADDRESS = /^SERVICE_(FQDN|URL)_(.+?)(?:_(\d{2,5}))?$/;
const SECRET =
  /^SERVICE_(USER|PASSWORD|PASSWORDWITHSYMBOLS|BASE64|REALBASE64|HEX|SUPABASEANON|SUPABASESERVICE)_(?:(\d+)_)?(.+)$/;

/** The secret that signs the two tokens. */
const SIGNER = 'SERVICE_PASSWORD_JWT';

export function magicOf(name: string): Magic | undefined {
  const address = ADDRESS.exec(name);
  if (address !== null) {
    const [, form, id = '', port] = address;
    return {
      kind: 'address',
      form: form === 'URL' ? 'url' : 'host',
      id,
      ...(port === undefined ? {} : { port: Number(port) }),
    };
  }
  const found = SECRET.exec(name);
  if (found === null) return undefined;
  const [, what = '', digits] = found;
  return generator(what, digits === undefined ? undefined : Math.min(Math.max(Number(digits), 8), 4096));
}

function generator(what: string, length: number | undefined): Magic {
  const secret = (made: Secret): Magic => ({ kind: 'secret', secret: made });
  switch (what) {
    case 'USER':
      return secret({ generate: 'username', length: 16 });
    case 'PASSWORDWITHSYMBOLS':
      return secret({ generate: 'password', length: length ?? 32 });
    case 'REALBASE64':
      return secret({ generate: 'base64', length: length ?? 32, unit: 'bytes' });
    case 'HEX':
      return secret({ generate: 'hex', length: length ?? 32 });
    case 'SUPABASEANON':
    case 'SUPABASESERVICE': {
      const role = what === 'SUPABASEANON' ? 'anon' : 'service_role';
      return {
        kind: 'secret',
        secret: { generate: 'jwt', signed_with: SIGNER, claims: { iss: 'supabase', role } },
        needs: SIGNER,
      };
    }
    default:
      // BASE64 means letters and digits too, in that convention.
      return secret({ generate: 'alnum', length: length ?? 32 });
  }
}
