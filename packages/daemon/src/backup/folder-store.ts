import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BackupPlace, BackupStore } from './backup-store.ts';

/** Stores backups in a folder of the server that only root can read. */
export class FolderStore implements BackupStore {
  readonly address: string;

  constructor(directory: string) {
    this.address = directory;
  }

  /** Writes a file atomically, even across a power cut. */
  async write(place: BackupPlace, file: string, content: Readable): Promise<void> {
    const folder = this.#folder(place);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draft = join(folder, `${file}.draft`);
    await pipeline(content, createWriteStream(draft, { mode: 0o600, flush: true }));
    await rename(draft, join(folder, file));
    for (const changed of [folder, dirname(folder)]) await sync(changed);
  }

  async read(place: BackupPlace, file: string): Promise<Readable> {
    const handle = await open(join(this.#folder(place), file), 'r');
    return createReadStream('', { fd: handle });
  }

  async remove(place: BackupPlace): Promise<void> {
    await rm(this.#folder(place), { recursive: true, force: true });
  }

  async free(): Promise<number | undefined> {
    await mkdir(this.address, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(this.address);
    return bavail * bsize;
  }

  #folder({ instanceUid, backupId }: BackupPlace): string {
    return join(this.address, instanceUid, backupId);
  }
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
