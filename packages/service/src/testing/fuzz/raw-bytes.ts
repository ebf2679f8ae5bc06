import { channelPaths } from '@hortus/contract/channel/channel';
import { shellPaths } from '@hortus/contract/protocol/shell';
import { TRANSFER_PROTOCOL, transferPath } from '@hortus/contract/protocol/transfer';
import type { Dice } from './dice.ts';
import { hostileText } from './hostile.ts';

/** Bytes for a socket, and the maximum number of requests that a correct parser finds in them. */
export interface RawBytes {
  readonly bytes: Buffer;
  readonly requests: number;
  /** Whether they start with a valid handshake for an end of a transfer. */
  readonly isTransferEnd?: boolean;
}

/** An open transfer, and the keys of its two servers. */
export interface OpenTransfer {
  readonly id: string;
  readonly keys: readonly string[];
}

const paths = [
  ...channelPaths,
  ...shellPaths,
  transferPath,
  '/api/v1/health',
  '/api/v1/templates',
  '/',
  '/docs',
  '/metrics',
  '/ready',
];
const authorities = ['a', 'a:99999', 'a:-1', '[::1', '[::1]:0', '', 'a@b', 'a:80:80', '%00', 'x'.repeat(3_000)];

function target(dice: Dice): string {
  const path = dice.of(paths);
  return dice.of([
    path,
    `${path}?transfer_id=${encodeURIComponent(hostileText(dice).slice(0, 200).toWellFormed())}`,
    `http://${dice.of(authorities)}${path}`,
    `HTTPS://${dice.of(authorities)}`,
    `//${dice.of(authorities)}${path}`,
    '*',
    '/%',
    '/%ff%fe',
    '/\u00e9\u4e2d',
    `/${'a/'.repeat(2_000)}`,
    `/${'x'.repeat(20_000)}`,
    'a:443',
    '',
  ]);
}

function headers(dice: Dice, credentials: readonly string[]): string[] {
  const lines = dice.oneIn(15) ? [] : [`Host: ${dice.of(['a', 'localhost', '127.0.0.1', '', 'a, b', '[::1'])}`];
  if (dice.oneIn(2)) lines.push(`Authorization: Bearer ${dice.of(credentials)}`);
  if (dice.oneIn(6)) lines.push(`Cookie: hortus_session=${dice.of(credentials)}`);
  if (dice.oneIn(8))
    lines.push(dice.of(['Expect: 100-continue', 'Expect: nonsense', 'TE: trailers', 'X-Request-Id: \u0001']));
  if (dice.oneIn(10)) lines.push(...Array.from({ length: dice.of([50, 3_000]) }, (_, i) => `X-${i}: ${i}`));
  if (dice.oneIn(15)) lines.push(`X-Long: ${'x'.repeat(dice.of([8_000, 40_000]))}`);
  if (dice.oneIn(10)) lines.push(dice.of([' folded', 'no colon', ': nameless', 'A\u0000: b', 'Content-Length: 1, 2']));
  return lines;
}

function body(dice: Dice, lines: string[]): string {
  if (!dice.oneIn(3)) return '';
  lines.push('Content-Type: application/json');
  const text = dice.of(['{}', '', '[', `${'['.repeat(3_000)}${']'.repeat(3_000)}`, `"${'x'.repeat(100_000)}"`]);
  if (dice.oneIn(2)) {
    lines.push('Transfer-Encoding: chunked');
    return dice.of([
      `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
      'zz\r\n',
      `ffffffffffffffff\r\n${text}`,
      '5\r\nab',
    ]);
  }
  lines.push(`Content-Length: ${dice.of([text.length, text.length + 1, -1, 99_999_999, 'x'])}`);
  return text;
}

/** Returns a request, or what an attacker would send instead. */
function request(dice: Dice, credentials: readonly string[]): string {
  if (dice.oneIn(12))
    return dice.of(['\r\n\r\n', '\u0016\u0003\u0001', 'GET', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\0'.repeat(100)]);
  const lines = headers(dice, credentials);
  const upgrades = dice.oneIn(2);
  if (upgrades) lines.push(...handshake(dice));
  const method =
    upgrades && !dice.oneIn(6) ? 'GET' : dice.of(['GET', 'POST', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'get', 'X']);
  const content = body(dice, lines);
  const version = dice.oneIn(12) ? dice.of(['HTTP/1.0', 'HTTP/9.9', 'http/1.1', '']) : 'HTTP/1.1';
  return `${method} ${target(dice)} ${version}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n${content}`;
}

function handshake(dice: Dice): string[] {
  const key = dice.oneIn(5) ? dice.of(['short', '', 'x'.repeat(500)]) : 'AAAAAAAAAAAAAAAAAAAAAA==';
  return [
    `Connection: ${dice.of(['Upgrade', 'keep-alive, Upgrade', 'close'])}`,
    `Upgrade: ${dice.of(['websocket', 'WebSocket', TRANSFER_PROTOCOL, 'h2c', 'websocket, h2c'])}`,
    `Sec-WebSocket-Version: ${dice.of(['13', '13', '8', 'x'])}`,
    `Sec-WebSocket-Key: ${key}`,
  ];
}

/** Returns one request, or several pipelined ones. */
export function rawRequests(dice: Dice, credentials: readonly string[]): RawBytes {
  const count = dice.oneIn(3) ? dice.between(2, 5) : 1;
  const all = Array.from({ length: count }, () => request(dice, credentials));
  const whole = all.join('');
  const text = dice.oneIn(6) ? whole.slice(0, dice.between(0, Math.min(whole.length, 5_000))) : whole;
  // A request that is broken in the middle may be parsed as two.
  return { bytes: Buffer.from(text, dice.oneIn(2) ? 'latin1' : 'utf8'), requests: count + 1 };
}

/** Returns a valid handshake for the channel or a transfer, followed by bytes that no daemon sends. */
export function rawFrames(dice: Dice, credentials: readonly string[], transfer: OpenTransfer): RawBytes {
  const isTransferEnd = dice.oneIn(2);
  const path = isTransferEnd
    ? `${transferPath}?transfer_id=${transfer.id}`
    : dice.of([...channelPaths, `${transferPath}?transfer_id=trf_x`, '/ws/shell?session_id=shl_x']);
  const key = dice.of(isTransferEnd ? transfer.keys : credentials);
  const protocol = isTransferEnd ? TRANSFER_PROTOCOL : dice.of(['websocket', TRANSFER_PROTOCOL]);
  const hello =
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\nSec-WebSocket-Version: 13\r\n` +
    `Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const parts: Buffer[] = [Buffer.from(hello)];
  if (!dice.oneIn(4)) parts.push(frame(dice, { first: 0x81, content: JSON.stringify({ type: 'auth', api_key: key }) }));
  if (dice.oneIn(4)) parts.push(...Array.from({ length: 3_000 }, () => frame(dice, { first: 0x89, content: 'x' })));
  for (let i = dice.between(1, 8); i > 0; i--) parts.push(frame(dice, oddFrame(dice)));
  return { bytes: Buffer.concat(parts), requests: 1, isTransferEnd };
}

interface Odd {
  readonly first: number;
  readonly content: string;
  readonly masked?: boolean;
  /** The length in the header, if it differs from the real one. */
  readonly length?: number;
}

const oddFrame = (dice: Dice): Odd => ({
  first: dice.of([0x81, 0x82, 0x80, 0x00, 0x01, 0x09, 0x89, 0x8a, 0x88, 0x83, 0x8b, 0xc1, 0xf1, dice.between(0, 255)]),
  content: dice.of([
    '',
    'x',
    'x'.repeat(126),
    'x'.repeat(70_000),
    '{"type":"pong"}',
    `{"type":"action_completed","execution_id":"exe_x","output":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
    '\u0003\u00e8',
    JSON.stringify({ type: hostileText(dice).slice(0, 100) }),
  ]),
  masked: !dice.oneIn(6),
  ...(dice.oneIn(5) && { length: dice.of([0, 125, 126, 65_535, 2 ** 31, 2 ** 53]) }),
});

function frame(dice: Dice, { first, content, masked = true, length }: Odd): Buffer {
  const payload = Buffer.from(content);
  const said = length ?? payload.length;
  const header = Buffer.alloc(said < 126 ? 2 : said < 65_536 ? 4 : 10);
  header[0] = first;
  header[1] = (masked ? 0x80 : 0) | (said < 126 ? said : said < 65_536 ? 126 : 127);
  if (header.length === 4) header.writeUInt16BE(said, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(said), 2);
  if (!masked) return Buffer.concat([header, payload]);
  const mask = Buffer.from([dice.between(0, 255), dice.between(0, 255), dice.between(0, 255), dice.between(0, 255)]);
  for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] as number) ^ (mask[i & 3] as number);
  return Buffer.concat([header, mask, payload]);
}
