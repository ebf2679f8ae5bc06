import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { IMAGE, SERVE } from './seed.ts';
import type { ServiceWithEngine } from './service-with-engine.ts';

const run = promisify(execFile);
/** Path of the distribution's docker client; another program of that name may precede it in PATH. */
const docker = ['/usr/bin/docker', '/usr/local/bin/docker'].find((path) => existsSync(path)) ?? 'docker';
export const NETWORK = 'bench-net';

type System = Pick<ServiceWithEngine, 'socketPath'>;

export const cli = ({ socketPath }: System, args: string[]) =>
  run(docker, args, { env: { ...process.env, DOCKER_HOST: `unix://${socketPath}` } });

/** Runs a container like the seed species with the docker client. */
export async function dockerRun(system: System, name: string, more: string[] = [], network = NETWORK) {
  const like = ['--cpus', '0.5', '--memory', '64m', '--volume', `${name}:/data`, '--network', network, ...more];
  await plainRun(system, name, ['--restart', 'unless-stopped', ...like]);
}

/** The same in a network of its own, which is made first: all that a deployment asks of the engine. */
export async function dockerRunInNewNetwork(system: System, name: string): Promise<void> {
  await cli(system, ['network', 'create', name]);
  await dockerRun(system, name, [], name);
}

/** Runs the same program in the engine's own network, without limits and volume. */
export async function plainRun(system: System, name: string, more: string[] = []): Promise<void> {
  await cli(system, ['run', '--detach', '--name', name, ...more, IMAGE, ...SERVE]);
}
