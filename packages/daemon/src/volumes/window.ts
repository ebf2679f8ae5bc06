import { randomBytes } from 'node:crypto';
import type { ContainerSpec } from '../engine/container-spec.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineProblem } from '../engine/engine-problem.ts';
import { label } from '../plan/labels.ts';

export interface VolumePlace {
  engine: Engine;
  serverId: string;
  /** Its name on the engine. */
  volume: string;
  /** Never past the engine, even where that is possible. */
  throughEngine?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Where the volume is in a window, and so what an archive of it begins with. No image has it, so that the engine puts nothing into an empty volume. */
export const contentName = 'hortus-volume';
export const contentFolder = `/${contentName}`;

/** An image with nothing in it: a container of it is never started, and needs no image of anybody to be there. */
const image = 'hortus-volume-window:1';
const emptyTar = Buffer.alloc(1024);
const kind = 'volume_window';
/** Of this process. */
const life = randomBytes(8).toString('hex');

/**
 * Opens a volume to the engine's archive calls: through a container that has it mounted, is never started, and is gone
 * when `work` has ended.
 */
export async function withWindow<Result>(
  place: VolumePlace,
  readOnly: boolean,
  work: (id: string) => Promise<Result>,
): Promise<Result> {
  const { engine, signal, volume } = place;
  if (signal?.aborted) {
    const detail = 'it was given up';
    throw new EngineProblem({ operation: `open volume ${volume}`, kind: 'aborted', detail, cause: signal.reason });
  }
  await checkVolume(place);
  if (!(await engine.hasImage(image))) await engine.importImage(image, emptyTar);
  const id = await engine.create(window(place, readOnly));
  try {
    return await work(id);
  } finally {
    await engine.remove(id, { force: true });
  }
}

/** A volume that is not there is an error: mounting it would make an empty one. */
async function checkVolume({ engine, volume }: VolumePlace): Promise<void> {
  if (await engine.volume(volume)) return;
  const detail = 'there is no volume of that name';
  throw new EngineProblem({ operation: `open volume ${volume}`, kind: 'not_found', detail });
}

/** Takes away what a daemon that was killed has left open; what this one has opened stays. */
export async function closeLeftWindows(engine: Engine, serverId: string, ownLife = life): Promise<void> {
  const open = await engine.containers({ labels: { [label.server]: serverId, [label.kind]: kind } });
  const left = open.filter(({ labels }) => labels[label.life] !== ownLife);
  for (const { id } of left) await engine.remove(id, { force: true });
}

function window({ serverId, volume }: VolumePlace, readOnly: boolean): ContainerSpec {
  return {
    name: `hortus-volume-${randomBytes(8).toString('hex')}`,
    image,
    // Not those of an instance: nobody should take it for a part of one.
    labels: { [label.server]: serverId, [label.kind]: kind, [label.life]: life },
    env: {},
    // The engine wants one, although it is never run.
    command: ['none'],
    mounts: [{ kind: 'volume', volume, target: contentFolder, readOnly }],
    limits: { ulimits: {} },
    restart: 'no',
    ports: [],
    network: { kind: 'none' },
    privileged: false,
    pid: 'private',
    ipc: 'private',
    seccomp: 'default',
    apparmor: 'default',
    noNewPrivileges: true,
    capabilities: { add: [], drop: [] },
    devices: [],
    sysctls: {},
    extraHosts: {},
    readOnlyRoot: false,
    init: false,
    tty: false,
    stopGraceMs: 0,
    healthcheck: 'none',
  };
}
