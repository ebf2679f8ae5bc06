import type { Engine, ExecHandle } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';

/** An engine at the end of a tunnel, with what its owner must know to close the tunnel. */
export interface Counted {
  engine: Engine;
  /** Attached commands that have not ended. */
  streams(): number;
  /** Time of the last call, as `performance.now()`. */
  lastUse(): number;
  /** False once a call found the engine unreachable. */
  responds(): boolean;
}

/** Records the use of an engine. Folders of its volumes are not those of this machine, even where the paths are equal. */
export function countedEngine(engine: Engine): Counted {
  let last = performance.now();
  let open = 0;
  let isReachable = true;
  const used =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      last = performance.now();
      try {
        return await call(...args);
      } catch (error) {
        if (isEngineProblem(error, 'unreachable')) isReachable = false;
        throw error;
      }
    };
  const counted = <Handle extends ExecHandle>(handle: Handle): Handle => {
    open++;
    let isEnded = false;
    const end = () => {
      last = performance.now();
      if (!isEnded) open--;
      isEnded = true;
    };
    return {
      ...handle,
      output: untilEnd(handle.output, end),
      detach: () => {
        end();
        handle.detach();
      },
    };
  };
  return {
    engine: {
      ...engine,
      exec: used(async (...args) => counted(await engine.exec(...args))),
      attach: used(async (...args) => counted(await engine.attach(...args))),
      inspect: used(engine.inspect),
      info: used(engine.info),
      volume: used(async (name) => {
        const facts = await engine.volume(name);
        return facts && { ...facts, folder: undefined };
      }),
      volumes: used(engine.volumes),
      containers: used(engine.containers),
      create: used(engine.create),
      remove: used(engine.remove),
      readArchive: used(engine.readArchive),
      writeArchive: used(engine.writeArchive),
      pathFacts: used(engine.pathFacts),
      wait: used(engine.wait),
    },
    streams: () => open,
    lastUse: () => last,
    responds: () => isReachable,
  };
}

async function* untilEnd<Item>(source: AsyncIterable<Item>, end: () => void): AsyncGenerator<Item> {
  try {
    yield* source;
  } finally {
    end();
  }
}
