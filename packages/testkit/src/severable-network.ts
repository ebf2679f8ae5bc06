import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { freeSubnet } from './free-subnet.ts';

/** A network namespace for a process, with two addresses, one of which can be cut off. */
export interface SeverableNetwork extends Disposable {
  /** Command prefix that runs a command in the namespace. */
  readonly prefix: readonly [string, ...string[]];
  /** Address that is always reachable from outside. */
  readonly lasting: string;
  /** Address that is reachable except while it is cut off. */
  readonly severable: string;
  /** Drops packets of that address silently in both directions, as behind a dead router. */
  cut(): void;
  mend(): void;
}

const namePrefix = 'hortus';
const namespaces = '/run/netns';

/** Creates the network; needs root. Also removes networks of killed runs. */
export function severableNetwork(): SeverableNetwork {
  removeAbandoned();
  const mark = randomBytes(3).toString('hex');
  const name = `${namePrefix}-${process.pid}-${mark}`;
  const [outer, inner] = [`hv${mark}o`, `hv${mark}i`];
  const net = `${freeSubnet()}.0`;
  const [lasting, severable] = [`${net}.2`, `${net}.3`];
  const prefix = ['ip', 'netns', 'exec', name] as const;
  ip('netns', 'add', name);
  ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', name);
  ip('address', 'add', `${net}.1/29`, 'dev', outer);
  ip('link', 'set', outer, 'up');
  for (const address of [lasting, severable]) ip('-n', name, 'address', 'add', `${address}/29`, 'dev', inner);
  for (const device of ['lo', inner]) ip('-n', name, 'link', 'set', device, 'up');
  // Rules inside the namespace do not affect anything outside it.
  const rules = [
    ['INPUT', '--destination', severable, '--jump', 'DROP'],
    ['OUTPUT', '--source', severable, '--jump', 'DROP'],
  ];
  const filter = (change: '--append' | '--delete') => {
    for (const rule of rules) system(...prefix, 'iptables', '--wait', change, ...rule);
  };
  return {
    prefix,
    lasting,
    severable,
    cut: () => filter('--append'),
    mend: () => filter('--delete'),
    [Symbol.dispose]: () => ip('netns', 'delete', name),
  };
}

function removeAbandoned(): void {
  for (const name of listed(namespaces)) {
    const owner = new RegExp(`^${namePrefix}-(\\d+)-`).exec(name)?.[1];
    if (owner !== undefined && !listed('/proc').includes(owner)) ip('netns', 'delete', name);
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const ip = (...args: string[]): void => system('ip', ...args);

function system(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
}
