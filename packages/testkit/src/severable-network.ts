import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { freeSubnet } from './free-subnet.ts';

/** A network of its own for a process, with two ways in, one of which can be cut. */
export interface SeverableNetwork extends Disposable {
  /** What a command is started with to run in there. */
  readonly prefix: readonly [string, ...string[]];
  /** Where it is always reached from outside. */
  readonly lasting: string;
  /** Where it is reached except while the way is cut. */
  readonly severable: string;
  /** From now on packets of that way vanish without a word, in both directions, as behind a dead router. */
  cut(): void;
  mend(): void;
}

const namePrefix = 'hortus';
const namespaces = '/run/netns';

/** Needs root. Goes with `Symbol.dispose`, and what a killed run has left goes with the next one. */
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
  // Rules inside the namespace, which concern nobody outside it.
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
