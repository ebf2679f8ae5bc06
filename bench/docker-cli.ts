import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { IMAGE, SERVE } from './seed.ts';
import type { ServiceWithEngine } from './service-with-engine.ts';

const run = promisify(execFile);
/** Path of the distribution's docker client; another program of that name may precede it in PATH. */
const docker = ['/usr/bin/docker', '/usr/local/bin/docker'].find((path) => existsSync(path)) ?? 'docker';
export const NETWORK = 'bench-net';

export const cli = ({ socketPath }: Pick<ServiceWithEngine, 'socketPath'>, args: string[]) =>
  run(docker, args, { env: { ...process.env, DOCKER_HOST: `unix://${socketPath}` } });

/** Runs a container like the seed species with the docker client. */
export async function dockerRun(system: Pick<ServiceWithEngine, 'socketPath'>, name: string, more: string[] = []) {
  const like = ['--cpus', '0.5', '--memory', '64m', '--volume', `${name}:/data`, '--network', NETWORK, ...more];
  await cli(system, ['run', '--detach', '--name', name, '--restart', 'unless-stopped', ...like, IMAGE, ...SERVE]);
}
