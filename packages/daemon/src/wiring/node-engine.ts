import { openDockerEngine } from '../engine/docker/docker-engine.ts';
import type { Engine } from '../engine/engine.ts';
import { guardedEngine } from '../policy/guarded-engine.ts';
import { substitutingEngine } from '../substitutes/substituting-engine.ts';
import type { Base } from './base.ts';
import type { DaemonOptions } from './daemon-options.ts';

export type NodeEngine = ReturnType<typeof openNodeEngine>;

/** Opens the engine of this node with its lower layers, which the engines of other nodes get too; `engine.ts` adds the upper ones. */
export function openNodeEngine({ config, policy, journal }: Base, { engineTimeouts }: DaemonOptions) {
  const socket = { socketPath: config.dockerSocket, ...(engineTimeouts && { timeouts: engineTimeouts }) };
  const check = (engine: Engine) =>
    guardedEngine(config.substitutes ? substitutingEngine(engine, config.substitutes) : engine, {
      policy,
      engineSocket: config.dockerSocket,
      written: journal.writtenPaths,
    });
  return {
    socket,
    check,
    checked: check(openDockerEngine(socket)),
    /** Opens the engine of another node, without the check: views of instances add it, and they alone create containers there. */
    openUnchecked: (socketPath: string) => openDockerEngine({ socketPath }),
  };
}
