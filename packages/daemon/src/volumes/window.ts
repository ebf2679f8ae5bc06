import { randomBytes } from 'node:crypto';
import type { ContainerSpec } from '../engine/container-spec.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineProblem } from '../engine/engine-problem.ts';
import { label } from '../plan/labels.ts';

export interface VolumePlace {
  engine: Engine;
  serverId: string;
  /** Name of the volume on the engine. */
  volume: string;
  /** Always use the engine, even where direct access to the folder is possible. */
  throughEngine?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Mount point of the volume in the helper container, and so the first path segment of its archives. No image contains
 * it, so the engine copies nothing into an empty volume.
 */
export const contentName = 'hortus-volume';
export const contentFolder = `/${contentName}`;

/** Empty image: its containers are never started, and it needs no image from a registry. */
const image = 'hortus-volume-window:1';
const emptyTar = Buffer.alloc(1024);
const kind = 'volume_window';
/** Identifies this process. */
const life = randomBytes(8).toString('hex');

/**
 * Gives the engine's archive calls access to a volume: creates a container that mounts it, never starts it, and removes
 * it when `work` ends.
 */
export async function withWindow<Result>(
  place: VolumePlace,
  readOnly: boolean,
  work: (id: string) => Promise<Result>,
): Promise<Result> {
  const { engine, signal, volume } = place;
  if (signal?.aborted) {
    const detail = 'the operation was aborted';
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

/** Throws for a missing volume; mounting it would create an empty one. */
async function checkVolume({ engine, volume }: VolumePlace): Promise<void> {
  if (await engine.volume(volume)) return;
  const detail = 'the volume does not exist';
  throw new EngineProblem({ operation: `open volume ${volume}`, kind: 'not_found', detail });
}

/** Removes helper containers of killed daemons; keeps those of this process. */
export async function closeLeftoverWindows(engine: Engine, serverId: string, ownLife = life): Promise<void> {
  const open = await engine.containers({ labels: { [label.server]: serverId, [label.kind]: kind } });
  const left = open.filter(({ labels }) => labels[label.life] !== ownLife);
  for (const { id } of left) await engine.remove(id, { force: true });
}

function window({ serverId, volume }: VolumePlace, readOnly: boolean): ContainerSpec {
  return {
    name: `hortus-volume-${randomBytes(8).toString('hex')}`,
    image,
    // Without the labels of an instance, so that it is not taken for a part of one.
    labels: { [label.server]: serverId, [label.kind]: kind, [label.life]: life },
    env: {},
    // The engine requires a command, although the container never runs.
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
    capabilities: { add: [], drop: ['ALL'] },
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
