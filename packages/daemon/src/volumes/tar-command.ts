import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The C locale gives comparable messages and leaves file names as bytes. */
export const tarEnvironment = { PATH: process.env.PATH, LC_ALL: 'C' };

/** Position of CAP_MKNOD in the sets of capabilities. */
const CAP_MKNOD = 27n;
const withoutMknod = ['setpriv', '--bounding-set', '-mknod', '--inh-caps', '-mknod', '--'];

let command: Promise<readonly string[] | undefined> | undefined;

/**
 * Returns the command that runs GNU tar without the capability to create devices, whatever an archive contains. Undefined
 * where that is not possible. Requires 1.28, the first version that sorts, so that equal content gives equal archives.
 */
export function tarCommand(): Promise<readonly string[] | undefined> {
  command ??= findCommand();
  return command;
}

async function findCommand(): Promise<readonly string[] | undefined> {
  const found = (await mayCreateDevices()) ? [...withoutMknod, 'tar'] : ['tar'];
  const [program = '', ...args] = found;
  const { stdout } = await promisify(execFile)(program, [...args, '--version'], { env: tarEnvironment }).catch(() => ({
    stdout: '',
  }));
  return /^tar \(GNU tar\) (1\.(2[89]|[3-9]\d)|[2-9])/.test(stdout) ? found : undefined;
}

/** Whether a program of root that we start would have the capability; systemd starts the daemon without it. */
async function mayCreateDevices(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'latin1').catch(() => '');
  const bounding = /^CapBnd:\s*([0-9a-f]{1,16})$/m.exec(status)?.[1];
  return bounding === undefined || ((BigInt(`0x${bounding}`) >> CAP_MKNOD) & 1n) === 1n;
}
