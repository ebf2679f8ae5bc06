import { Serial } from '../concurrency/turns.ts';
import type { ContainerSpec } from '../engine/container-spec.ts';
import type { Engine, HostMount } from '../engine/engine.ts';
import { realPath } from './host-paths.ts';
import { type MountedPath, type OtherMount, refuseMounts, refuseWriting } from './mount-check.ts';
import type { Policy } from './policy.ts';

/** A container was not created or started because of the paths that it mounts. */
export class MountRefused extends Error {}

export interface GuardOptions {
  policy: Policy;
  engineSocket: string;
  /** Resolved directories that containers have ever been able to write to; kept after the containers are removed. */
  written: { all(): string[]; add(path: string): void };
}

/**
 * Checks the host mounts of a container whenever one is created or started. All parts of the daemon start containers
 * through this engine. Creating a container replaces each path by its resolved form.
 */
export function guardedEngine(engine: Engine, options: GuardOptions): Engine {
  const guard = new MountGuard(engine, options);
  return {
    ...engine,
    create: (spec) => guard.create(spec),
    start: (id) => guard.start(id),
    remove: async (id, how) => {
      await engine.remove(id, how);
      guard.forget(id);
    },
  };
}

class MountGuard {
  readonly #engine: Engine;
  readonly #options: GuardOptions;
  /** Containers created here without host mounts; their start skips the check, since mounts never change. */
  readonly #without = new Set<string>();
  readonly #creating = new Serial();

  constructor(engine: Engine, options: GuardOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  async create(spec: ContainerSpec): Promise<string> {
    const wanted = await this.#wantedBy(spec);
    if (wanted.length === 0) {
      const id = await this.#engine.create(spec);
      this.#without.add(id);
      return id;
    }
    // One at a time: two parallel checks would not see each other's mounts.
    return await this.#creating.run(() => this.#createChecked(spec, wanted));
  }

  async start(id: string): Promise<void> {
    if (!this.#without.has(id)) {
      const mounts = await this.#engine.hostMounts();
      const isOwn = ({ container }: HostMount) => container?.id === id || container?.name === id;
      this.#check(
        mounts.filter((mount) => isOwn(mount) && mount.chosen),
        mounts.filter((mount) => !isOwn(mount)),
      );
    }
    await this.#engine.start(id);
  }

  forget(id: string): void {
    this.#without.delete(id);
  }

  async #createChecked(spec: ContainerSpec, wanted: readonly MountedPath[]): Promise<string> {
    const others = await this.#engine.hostMounts();
    this.#check(wanted, others);
    const refused = refuseWriting({ wanted, others: others.map(otherMount) });
    if (refused !== undefined) throw new MountRefused(`Refused: ${refused}.`);
    for (const { path, readOnly } of wanted) if (!readOnly) this.#options.written.add(realPath(path));
    const mounts = spec.mounts.map((mount) =>
      mount.kind === 'host' ? { ...mount, path: realPath(mount.path) } : mount,
    );
    return await this.#engine.create({ ...spec, mounts });
  }

  #check(wanted: readonly MountedPath[], others: readonly HostMount[]): void {
    if (wanted.length === 0) return;
    const { policy, engineSocket, written } = this.#options;
    const check = { policy, engineSocket, wanted, others: others.map(otherMount), written: written.all() };
    const refused = refuseMounts(check);
    if (refused !== undefined) throw new MountRefused(`Refused: ${refused}.`);
  }

  /** Lists the host paths of a container. A volume may be a bind mount of a host directory (`o: bind`). */
  async #wantedBy({ mounts }: ContainerSpec): Promise<MountedPath[]> {
    const wanted = await Promise.all(
      mounts.map(async (mount): Promise<MountedPath[]> => {
        if (mount.kind === 'tmpfs') return [];
        const path = mount.kind === 'host' ? mount.path : (await this.#engine.volume(mount.volume))?.device;
        return path === undefined ? [] : [{ path, readOnly: mount.readOnly }];
      }),
    );
    return wanted.flat();
  }
}

const otherMount = ({ container, path, readOnly, chosen }: HostMount): OtherMount => ({
  path,
  readOnly,
  chosen,
  holder: container ? `the container ${container.name}` : 'containers of a volume',
});
