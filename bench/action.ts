import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import { type Bench, median } from './claim.ts';
import {
  define,
  deploy,
  pause,
  quietTime,
  type ServiceWithEngine,
  startServiceWithEngine,
  timed,
} from './service-with-engine.ts';

const WARM_UP = 10;
const PAIRS = 30;

/** Measures an action (`true`) from request to `completed`, against a bare exec in the same container with the same driver. */
export const actionBench: Bench = {
  name: 'action',
  async run(repetitions) {
    await using system = await startServiceWithEngine();
    const { instance_id, container_id } = await deployOne(system);
    const engine = openDockerEngine({ socketPath: system.socketPath });
    const all: { ours: number; bare: number }[] = [];
    for (let i = 0; i < WARM_UP + PAIRS * repetitions; i++) {
      const quiet = i === 0 ? 0 : quietTime(all.map((p) => p.ours));
      const ours = () => timed(() => act(system, instance_id, quiet));
      const bare = () => timed(() => bareExec(engine, container_id));
      all.push(i % 2 === 0 ? { ours: await ours(), bare: await bare() } : { bare: await bare(), ours: await ours() });
    }
    const pairs = all.slice(WARM_UP);
    engine.close();
    return [
      {
        claim: 'an action (true), order to completed',
        value: median(pairs.map((p) => p.ours)),
        unit: 'ms',
        against: { name: 'ms bare exec', value: median(pairs.map((p) => p.bare)) },
        ratio: median(pairs.map((p) => p.ours / p.bare)),
        promise: { atMost: 1.5 },
      },
    ];
  },
};

async function deployOne(system: ServiceWithEngine): Promise<{ instance_id: string; container_id: string }> {
  await deploy(system, await define(system, 'seed'));
  const { data } = await system.client.call('instances.list');
  const [instance] = data;
  if (!instance?.container_id) throw new Error('The instance has no container.');
  return { instance_id: instance.id, container_id: instance.container_id };
}

async function act({ client, daemon }: ServiceWithEngine, id: string, quietMs: number): Promise<void> {
  const { execution } = await client.call('actions.execute', { params: { id, slug: 'nothing' }, body: { params: {} } });
  await pause(quietMs);
  for (;;) {
    const { execution: now } = await client.call('actions.read', { params: { execution_id: execution.id } });
    if (now.status === 'completed') return;
    if (!['pending', 'sent', 'running'].includes(now.status))
      throw new Error(`The action ended ${now.status}: ${now.error}\n${daemon.output}`);
    await pause(2);
  }
}

/** Creates an exec, starts it with both streams attached and reads its exit code. */
async function bareExec(engine: ReturnType<typeof openDockerEngine>, container: string): Promise<void> {
  const exec = await engine.exec(container, { argv: ['true'] });
  for await (const _ of exec.output);
  const { exitCode } = await exec.inspect();
  if (exitCode !== 0) throw new Error(`The bare exec ended with ${exitCode}.`);
}
