import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { debianRoot } from './debian-root.ts';
import { until } from './until.ts';

export interface DebianMachineOptions {
  readonly socketPath: string;
  /** Runs systemd as the first process; otherwise the machine only waits for commands. */
  readonly systemd?: boolean;
  /** Network of Docker; `host` to reach services of the test, `container:NAME` to share that of another machine. */
  readonly network?: string;
  /** Folders and files of the test by their place in the machine. */
  readonly mounts?: Readonly<Record<string, string>>;
}

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface DebianMachine extends AsyncDisposable {
  readonly name: string;
  /** Runs a script by sh as root; a variable is given to its environment. Never throws for a failed script. */
  run(script: string, env?: Readonly<Record<string, string>>): Promise<Said>;
  /** Runs a script that must succeed and returns its standard output. */
  must(script: string): Promise<string>;
  copyIn(from: string, to: string): Promise<void>;
}

/**
 * What systemd needs in a container: rights to mount, its own view of the control groups, and no seccomp filter of the engine around
 * those of its units. The engine mounts control groups read-only, so they are remounted before the init process starts.
 */
const forSystemd = [
  ...['--cap-add', 'SYS_ADMIN', '--cap-add', 'SYS_PTRACE', '--cap-add', 'NET_ADMIN', '--cgroupns', 'private'],
  ...['--security-opt', 'seccomp=unconfined', '--security-opt', 'apparmor=unconfined', '--stop-signal', 'SIGRTMIN+3'],
  ...['--tmpfs', '/run', '--tmpfs', '/run/lock', '--tmpfs', '/tmp:exec', '--tty'],
];
const boot =
  'for group in /sys/fs/cgroup /sys/fs/cgroup/*; do mount -o remount,rw $group 2>/dev/null; done; exec /sbin/init';

/** Starts a freshly installed Debian in a container. */
export async function startDebianMachine(options: DebianMachineOptions): Promise<DebianMachine> {
  const { socketPath, systemd = false, network, mounts = {} } = options;
  const image = await debianRoot(socketPath);
  const name = `debian-${randomBytes(4).toString('hex')}`;
  const docker = (...args: string[]) => execute('docker', ['-H', `unix://${socketPath}`, ...args]);
  const volumes = Object.entries(mounts).flatMap(([to, from]) => ['--volume', `${from}:${to}`]);
  const place = [...(network === undefined ? [] : ['--network', network]), ...volumes];
  const command = systemd ? [image, 'sh', '-c', boot] : ['--init', image, 'sleep', 'infinity'];
  const started = await docker('run', '-d', '--name', name, ...place, ...(systemd ? forSystemd : []), ...command);
  if (started.code !== 0) throw new Error(`The Debian machine did not start: ${started.stderr}`);
  const run: DebianMachine['run'] = (script, env = {}) => {
    const variables = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
    return docker('exec', ...variables, name, 'sh', '-c', script);
  };
  const machine: DebianMachine = {
    name,
    run,
    async must(script) {
      const said = await run(script);
      if (said.code !== 0) throw new Error(`${script}\nended with ${said.code}:\n${said.stdout}${said.stderr}`);
      return said.stdout;
    },
    async copyIn(from, to) {
      const { code, stderr } = await docker('cp', from, `${name}:${to}`);
      if (code !== 0) throw new Error(`Copying ${from} failed: ${stderr}`);
    },
    async [Symbol.asyncDispose]() {
      await docker('rm', '--force', '--volumes', name);
    },
  };
  const isUp = async () => /^(running|degraded)/.test((await run('systemctl is-system-running')).stdout);
  if (systemd) await until(isUp, { within: 60_000, describe: 'systemd to have started' });
  return machine;
}

function execute(program: string, args: readonly string[]): Promise<Said> {
  return new Promise((done) => {
    execFile(program, args, { maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      done({ code, stdout, stderr: stderr || (code === 0 ? '' : String(error)) });
    });
  });
}
