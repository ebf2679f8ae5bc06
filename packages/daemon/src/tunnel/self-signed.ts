import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface SelfSigned {
  /** PEM. */
  certificate: string;
  /** PEM of the private key, followed by the certificate. */
  identity: string;
}

const DAY_MS = 86_400_000;
/** Tunnels live for hours; the margin covers clocks of nodes that are wrong. */
const VALID_MS = 365 * DAY_MS;

/** Creates a key and a certificate that only a peer with a copy of it trusts. Node can read certificates, but not create them. */
export function selfSigned(commonName: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = sequence(set(sequence(objectId('550403'), tagged(0x0c, Buffer.from(commonName)))));
  const signed = sequence(
    integer(randomBytes(8)),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(Date.now() - VALID_MS), time(Date.now() + VALID_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', signed, privateKey);
  const whole = sequence(signed, ECDSA_WITH_SHA256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const certificate = pem(whole);
  return { certificate, identity: `${privateKey.export({ type: 'pkcs8', format: 'pem' })}${certificate}` };
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const set = (part: Buffer): Buffer => tagged(0x31, part);
const objectId = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'));
/** The first byte keeps the number positive and in its shortest form. */
const integer = (bytes: Buffer): Buffer => tagged(0x02, Buffer.concat([Buffer.from([1]), bytes]));
/** UTCTime, as in 261117123000Z. */
const time = (at: number): Buffer =>
  tagged(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`));

const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'));

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
