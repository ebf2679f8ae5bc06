import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { IMAGE, SERVE } from './seed.ts';
import type { ServiceWithEngine } from './service-with-engine.ts';

const run = promisify(execFile);
/** The engine's own client where the distribution put it; another program of that name may come first on the path. */
const docker = ['/usr/bin/docker', '/usr/local/bin/docker'].find((path) => existsSync(path)) ?? 'docker';
export const NETWORK = 'bench-net';

export const cli = ({ socketPath }: Pick<ServiceWithEngine, 'socketPath'>, args: string[]) =>
  run(docker, args, { env: { ...process.env, DOCKER_HOST: `unix://${socketPath}` } });

/** What a person would type for the same container as the seed is. */
export async function dockerRun(system: Pick<ServiceWithEngine, 'socketPath'>, name: string, more: string[] = []) {
  const like = ['--cpus', '0.5', '--memory', '64m', '--volume', `${name}:/data`, '--network', NETWORK, ...more];
  await cli(system, ['run', '--detach', '--name', name, '--restart', 'unless-stopped', ...like, IMAGE, ...SERVE]);
}
