/** Paths of the files of a relay in its container, and of what it connects. */
export interface RelayPlaces {
  /** Private key and certificate of this end. */
  identity: string;
  /** Certificate of the other end, the only one that is accepted. */
  peer: string;
}

/** Port of the far end on the network of tunnels. */
export const RELAY_PORT = 2376;

/** A command may be silent for as long as its action may last. */
const MAX_SILENCE_MS = '25h';

const common = ['global', '  maxconn 512', 'defaults', '  mode tcp', '  timeout connect 10s'].concat(
  ['client', 'server', 'tunnel', 'client-fin', 'server-fin'].map((side) => `  timeout ${side} ${MAX_SILENCE_MS}`),
);

/** Settings of HAProxy on the node whose engine is reached: only the holder of the peer's key is let through. */
export const farSettings = ({ identity, peer }: RelayPlaces, engineSocket: string, listen = `:${RELAY_PORT}`): string =>
  text(
    ...common,
    'frontend tunnel',
    `  bind ${listen} ssl crt ${identity} ca-file ${peer} verify required ssl-min-ver TLSv1.3`,
    '  default_backend engine',
    'backend engine',
    `  server engine unix@${engineSocket}`,
  );

/** Settings of HAProxy on the node of the daemon. The far end may get another address, so its name is resolved again and again. */
export const nearSettings = ({ identity, peer }: RelayPlaces, socket: string, far: string, dns = DNS): string =>
  text(
    ...common,
    'resolvers swarm',
    `  nameserver engine ${dns}`,
    '  hold valid 1s',
    '  timeout resolve 500ms',
    'frontend tunnel',
    `  bind unix@${socket} mode 600`,
    '  default_backend far',
    'backend far',
    `  server far ${far} ssl crt ${identity} ca-file ${peer} verify required ssl-min-ver TLSv1.3 resolvers swarm init-addr libc,none`,
  );

/**
 * Settings of HAProxy that leads to a port of one task. The address of a task never changes, so it is resolved once: HAProxy
 * does not start, and offers no socket, before the name is known.
 */
export const taskSettings = (socket: string, task: string, port: number): string =>
  text(
    ...common,
    'frontend calls',
    `  bind unix@${socket} mode 600`,
    '  default_backend task',
    'backend task',
    `  server task ${task}:${port} init-addr libc`,
  );

/** Name server of the engine in every container of a user-defined network. */
const DNS = '127.0.0.11:53';

const text = (...lines: string[]): string => `${lines.join('\n')}\n`;
