import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TemporaryFolder = AsyncDisposable & {
  readonly path: string;
  remove(): Promise<void>;
};

const present = new Set<string>();

/** Where Linux keeps files in memory; a test run has a folder of its own there, to remove all of it at the end. */
const memory = () => process.env.HORTUS_TEST_MEMORY ?? '/dev/shm';

export interface FolderOptions {
  /** Prefers memory, for many files that are created and removed again; on a disk if the memory is small. */
  readonly inMemory?: boolean;
}

/**
 * Creates an empty folder that is removed by `remove()`, at the end of an `await using` block, or when the process
 * exits.
 */
export function temporaryFolder(purpose = 'test', { inMemory = false }: FolderOptions = {}): TemporaryFolder {
  if (present.size === 0) {
    process.off('exit', removeAll);
    process.on('exit', removeAll);
  }
  // The name contains the owner's pid, so that a later run can recognise abandoned folders.
  const path = mkdtempSync(
    join(inMemory && hasRoom(memory()) ? memory() : tmpdir(), `hortus-${process.pid}-${purpose}-`),
  );
  // Engines run as other users; they may traverse the folder, but not list it.
  chmodSync(path, 0o711);
  present.add(path);
  const remove = async () => {
    present.delete(path);
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  };
  return { path, remove, [Symbol.asyncDispose]: remove };
}

/** Containers often have only 64 MB there. */
function hasRoom(parent: string): boolean {
  try {
    accessSync(parent, constants.W_OK);
    const { bavail, bsize } = statfsSync(parent);
    return bavail * bsize >= 2 ** 30;
  } catch {
    return false;
  }
}

function removeAll() {
  for (const path of present) rmSync(path, { recursive: true, force: true });
}

const youngest = 10 * 60_000;

/**
 * Removes folders of killed runs. Keeps young ones even without an owner: if containers share /tmp, processes of other
 * containers are not visible here.
 */
export function removeAbandonedFolders(): void {
  const paths = parents().flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)));
  for (const path of paths.filter(isAbandoned)) {
    try {
      if (Date.now() - statSync(path).mtimeMs > youngest) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another user's folder, or another run removes it at this moment.
    }
  }
}

/** Answers whether a path is in a temporary folder of a dead process. */
export function isAbandoned(path: string): boolean {
  const parent = parents().find((parent) => path.startsWith(`${parent}/`));
  const [name = ''] = parent === undefined ? [] : path.slice(parent.length + 1).split('/');
  const owner = /^hortus-(\d+)-/.exec(name)?.[1];
  return owner !== undefined && !isAlive(Number(owner));
}

const parents = () => [tmpdir(), memory()].filter((parent) => existsSync(parent));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
