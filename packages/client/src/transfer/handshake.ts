import { connect, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { TICKET_HEADER, TRANSFER_PROTOCOL } from '@hortus/contract/protocol/transfer';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';

const WITHIN_MS = 15_000;
const MAX_RESPONSE_LENGTH = 16 * 1024;
const HEADERS_END = '\r\n\r\n';

/**
 * Connects to the service as one end of a transfer, with a socket that reads into pooled memory, which an HTTP request of
 * Node cannot: new buffers for gigabytes cost more than the transfer itself. Rejects if the connection or the upgrade fails. `received` gets the bytes after the
 * handshake, in memory from `take`.
 */
export function openSocket(
  url: URL,
  proof: { readonly key: string; readonly ticket?: string | undefined },
  { take, received }: { readonly take: () => Buffer; readonly received: (bytes: Buffer) => void },
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((done, fail) => {
    let response: string | undefined = '';
    const read = (bytes: Buffer): void => {
      if (response === undefined) {
        received(bytes);
        return;
      }
      const before = response.length;
      response += bytes.toString('latin1');
      const end = response.indexOf(HEADERS_END);
      if (end < 0 && response.length < MAX_RESPONSE_LENGTH) return;
      const fault = faultIn(response.slice(0, Math.max(end, 0)));
      if (fault !== undefined) {
        socket.destroy(new Error(fault));
        return;
      }
      response = undefined;
      settle();
      done(socket);
      const rest = bytes.subarray(end + HEADERS_END.length - before);
      if (rest.length > 0) received(rest);
    };
    const guardedRead = guardedBy((error) => socket.destroy(error), read);
    const socket = dial(url, {
      buffer: take,
      callback: (count, memory) => {
        guardedRead((memory as Buffer).subarray(0, count));
        return true;
      },
    });
    const late = setTimeout(
      () => socket.destroy(new Error('the service did not respond within 15 seconds')),
      WITHIN_MS,
    );
    const abort = () => socket.destroy(new Error('the transfer was aborted'));
    const gone = () => {
      settle();
      fail(new Error('the service closed the connection'));
    };
    const failed = (error: Error) => {
      settle();
      fail(error);
    };
    const settle = () => {
      clearTimeout(late);
      signal.removeEventListener('abort', abort);
      socket.off('close', gone);
      socket.off('error', failed);
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.on('error', failed);
    socket.on('close', gone);
    socket.write(question(url, proof));
    if (signal.aborted) abort();
  });
}

function dial(url: URL, onread: OnReadOpts): Socket {
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const to = { host, port, onread };
  if (!isSecure) return connect(to);
  return connectSecurely({ ...to, ALPNProtocols: ['http/1.1'], ...(!isIP(host) && { servername: host }) });
}

const question = (url: URL, { key, ticket }: { readonly key: string; readonly ticket?: string | undefined }): string =>
  [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    `Authorization: Bearer ${key}`,
    ...(ticket === undefined ? [] : [`${TICKET_HEADER}: ${ticket}`]),
    'Connection: Upgrade',
    `Upgrade: ${TRANSFER_PROTOCOL}`,
  ].join('\r\n') + HEADERS_END;

function faultIn(response: string): string | undefined {
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(response) ?? [];
  if (status === undefined) return 'the response is not HTTP';
  if (status !== '101') return `the service responded with status ${status}`;
  const [, protocol] = /^upgrade:[ \t]*(\S+)[ \t]*$/im.exec(response) ?? [];
  return protocol?.toLowerCase() === TRANSFER_PROTOCOL ? undefined : 'the response is not an upgrade to a transfer';
}
