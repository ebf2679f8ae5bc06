import type { PromiseFsClient } from 'isomorphic-git';

/** Files of one repository in memory, for the library: nothing of a stranger is written to the disk. */
export class MemoryFiles {
  readonly #files = new Map<string, Uint8Array>();

  readonly fs: PromiseFsClient = {
    promises: {
      readFile: async (path: string) => this.#get(path),
      writeFile: async (path: string, bytes: Uint8Array) => {
        this.#files.set(path, bytes);
      },
      readdir: async (folder: string) =>
        [...this.#files.keys()].flatMap((path) =>
          path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1).split('/', 1)[0]] : [],
        ),
      stat: async (path: string) => this.#describe(path),
      lstat: async (path: string) => this.#describe(path),
      mkdir: async () => {},
      rmdir: refuse,
      unlink: refuse,
      readlink: refuse,
      symlink: refuse,
    },
  };

  add(path: string, bytes: Uint8Array): void {
    this.#files.set(path, bytes);
  }

  #get(path: string): Buffer {
    const bytes = this.#files.get(path);
    if (!bytes) throw Object.assign(new Error(`There is no file ${path}.`), { code: 'ENOENT' });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #describe(path: string) {
    const { length: size } = this.#get(path);
    const at = { ctimeMs: 0, mtimeMs: 0, ctime: new Date(0), mtime: new Date(0) };
    return { ...at, size, mode: 0o100644, isFile: () => true, isDirectory: () => false, isSymbolicLink: () => false };
  }
}

const refuse = async (): Promise<never> => {
  throw new Error('This folder has only files that are read.');
};
