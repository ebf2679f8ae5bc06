import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Environment } from '../world/world.ts';

export interface Engine {
  readonly socket: string;
  readonly version?: string;
  readonly trouble?: string;
}

/** Asks the engine on this machine for its version, over its socket. */
export async function askDocker(env: Environment): Promise<Engine> {
  const host = env.DOCKER_HOST || 'unix:///var/run/docker.sock';
  if (!host.startsWith('unix://')) return { socket: host, trouble: `DOCKER_HOST is ${host}, not a socket` };
  const socket = host.slice('unix://'.length);
  try {
    const { Version } = JSON.parse(await get(socket, '/version')) as { Version?: unknown };
    return typeof Version === 'string'
      ? { socket, version: Version }
      : { socket, trouble: `${socket} is no Docker engine` };
  } catch (error) {
    return { socket, trouble: wordOf(socket, error as NodeJS.ErrnoException) };
  }
}

const wordOf = (socket: string, { code, message }: NodeJS.ErrnoException): string => {
  if (code === 'ENOENT') return `${socket} does not exist`;
  if (code === 'EACCES') return `you may not use ${socket}`;
  if (code === 'ECONNREFUSED') return `nothing listens on ${socket}`;
  return message;
};

const get = (socketPath: string, path: string): Promise<string> =>
  new Promise((done, fail) => {
    const asking = request({ socketPath, path, signal: AbortSignal.timeout(3000) }, (reply) => {
      text(reply).then(done, fail);
    });
    asking.once('error', fail).end();
  });
