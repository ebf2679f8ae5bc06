import type { Cluster } from '@hortus/daemon/engine/cluster';
import type { ContainerFacts } from '@hortus/daemon/engine/container-facts';
import type { Engine } from '@hortus/daemon/engine/engine';
import { swarmEngine } from '@hortus/daemon/swarm/swarm-engine';

/** Shows the tasks of a Swarm under the names that containers of the same components have on a plain server. */
export function namedTasks(plain: Engine, cluster: Cluster): Engine {
  const engine = swarmEngine(plain, cluster);
  const containers: Engine['containers'] = async (filter) => (await engine.containers(filter)).map(renamed);
  const find = async (name: string): Promise<ContainerFacts | undefined> =>
    (await containers({ labels: { 'hortus.managed': 'true' } })).find(
      (container) => container.name === name || container.id === name,
    );
  const inspect = async (name: string) => {
    const found = await find(name);
    if (found === undefined) return await engine.inspect(name);
    const whole = await plain.inspect(found.id);
    return whole ? { ...found, ...renamed(whole) } : found;
  };
  const idOf = async (name: string) => (await find(name))?.id ?? name;
  /** Tasks are stopped and removed with their service. */
  const serviceOf = async (name: string) => {
    const found = await find(name);
    return found?.service ?? found?.id ?? name;
  };
  return {
    ...engine,
    containers,
    inspect,
    exec: async (name, command, signal) => await engine.exec(await idOf(name), command, signal),
    attach: async (name, command) => await engine.attach(await idOf(name), command),
    readArchive: async (name, path, signal) => await engine.readArchive(await idOf(name), path, signal),
    kill: async (name, signal) => await plain.kill(await idOf(name), signal),
    stop: async (name, graceMs) => await engine.stop(await serviceOf(name), graceMs),
    start: async (name) => await engine.start(await serviceOf(name)),
    remove: async (name, options) => await engine.remove(await serviceOf(name), options),
  };
}

/** The first task of a service has its name, the others also their number. */
function renamed(facts: ContainerFacts): ContainerFacts {
  const [service, slot] = /^(.+)\.(\d+)\.[a-z0-9]{25}$/.exec(facts.name)?.slice(1) ?? [];
  if (service === undefined) return facts;
  return { ...facts, name: slot === '1' ? service : `${service}.${slot}` };
}
