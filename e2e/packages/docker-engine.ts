import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Docker, startDocker } from '@hortus/testkit/docker';
import { takeTurn } from '@hortus/testkit/turn';
import { until } from '@hortus/testkit/until';
import { builtConsole } from '../console/console-service.ts';
import { guideBlocks, runBlock } from './guide-blocks.ts';

const run = promisify(execFile);

export interface Engine {
  readonly socketPath: string;
  /** Environment for the command line of Docker. */
  readonly env: Readonly<Record<string, string>>;
  docker(...args: string[]): Promise<string>;
  /** Waits until the health check of a container succeeds. */
  healthy(container: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an engine with nothing in it, so that the names of the documentation are free. */
export async function startEngine(): Promise<Engine> {
  const { socketPath, stop }: Docker = await startDocker();
  const env = { DOCKER_HOST: `unix://${socketPath}` };
  const docker = async (...args: string[]) => {
    const { stdout, stderr } = await run('docker', args, { env: { ...process.env, ...env } });
    return (stdout + stderr).trim();
  };
  return {
    socketPath,
    env,
    docker,
    async healthy(container) {
      const health = () => docker('inspect', '--format', '{{.State.Status}} {{.State.Health.Status}}', container);
      let logs = '';
      await until(
        async () => {
          logs = await docker('logs', container);
          return (await health()) === 'running healthy';
        },
        { within: 120_000, describe: () => `${container} to be healthy; it wrote:\n${logs}` },
      );
    },
    stop,
  };
}

/** Builds the image and loads it, as the documentation says. One test at a time: all builds have the same output. */
export async function loadImage(engine: Engine): Promise<void> {
  await builtConsole();
  await using _turn = await takeTurn('image-build');
  await runBlock(guideBlocks('## With Docker')[0] as string, { env: engine.env });
}
