import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type IngressPorts, STANDARD_PORTS } from '@hortus/template/resolution/route-address';
import { ConfigError } from '../options/config-error.ts';
import type { IngressSettings } from './ingress.ts';

/** Ingress settings of the operator; a port that is not given is chosen at start. */
export interface IngressWish extends Pick<IngressSettings, 'caddy'> {
  httpPort: number | undefined;
  httpsPort: number | undefined;
}

/** Tries to listen on a port of all addresses; answers the code of the error. */
export type TryPort = (port: number) => Promise<string | undefined>;

/** First ports to try where the standard ones are reserved for root. */
const HIGH_PORTS: IngressPorts = { http: 8080, https: 8443 };
const TRIES = 100;

/**
 * Chooses the ports of the ingress: the given ones, else 80 and 443, else free ports that need no root. The latter are
 * remembered, because addresses of instances contain them. A standard port in use is kept: the ingress of an earlier run of
 * this daemon may be the user.
 */
export async function choosePorts(
  wish: IngressWish,
  stateDirectory: string,
  tryPort = tryToListen,
): Promise<IngressSettings> {
  const remembered = readPorts(stateDirectory);
  const choose = async (scheme: 'http' | 'https'): Promise<number> => {
    if ((await tryPort(STANDARD_PORTS[scheme])) !== 'EACCES') return STANDARD_PORTS[scheme];
    return remembered?.[scheme] ?? firstFree(HIGH_PORTS[scheme], tryPort);
  };
  const http = wish.httpPort ?? (await choose('http'));
  const https = wish.httpsPort ?? (await choose('https'));
  if (http !== STANDARD_PORTS.http || https !== STANDARD_PORTS.https) rememberPorts(stateDirectory, { http, https });
  return { caddy: wish.caddy, httpPort: http, httpsPort: https };
}

async function firstFree(from: number, tryPort: TryPort): Promise<number> {
  for (let port = from; port < from + TRIES; port++) {
    if ((await tryPort(port)) === undefined) return port;
  }
  throw new ConfigError(
    `None of the ports ${from} to ${from + TRIES - 1} is free for the ingress. Give --ingress-http and --ingress-https.`,
  );
}

export const tryToListen: TryPort = async (port) => {
  const server = createServer();
  try {
    await once(server.listen(port), 'listening');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
  await once(server.close(), 'close');
  return undefined;
};

const fileIn = (stateDirectory: string): string => join(stateDirectory, 'ingress-ports.json');

function readPorts(stateDirectory: string): IngressPorts | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(stateDirectory), 'utf8')) as IngressPorts;
  } catch {
    return undefined;
  }
}

function rememberPorts(stateDirectory: string, ports: IngressPorts): void {
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  writeFileSync(fileIn(stateDirectory), JSON.stringify(ports), { mode: 0o600 });
}
