import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AgentPlatform,
  agentArchs,
  agentFileName,
  agentMarkPattern,
  agentSystems,
  signatureFileName,
} from '@hortus/contract/releases/agent-file';
import { ReleaseSignature } from '@hortus/contract/releases/release-signature';
import { Compile } from 'typebox/compile';

/** Facts that require reading the whole binary. */
export interface Content {
  readonly sha256: string;
  readonly version: string | null;
}

export interface FoundAgent extends Content {
  readonly platform: AgentPlatform;
  readonly handle: FileHandle;
  readonly size: number;
  readonly modifiedAt: number;
  /** From the file beside it; null if that is missing or belongs to other bytes. */
  readonly release: ReleaseSignature | null;
}

/** Finds agent binaries in folders, the first match wins. Each file is read once and cached. */
export class Agents {
  readonly #folders: readonly string[];
  readonly #contents = new Map<string, { readonly identity: string; readonly content: Promise<Content> }>();

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** The caller closes the handle. It keeps reading the same file even if that is replaced. */
  async find(os: string, arch: string): Promise<FoundAgent | undefined> {
    const platform = platformOf(os, arch);
    if (!platform) return undefined;
    for (const folder of this.#folders) {
      const path = join(folder, agentFileName(platform));
      const handle = await openIfThere(path);
      if (!handle) continue;
      try {
        const stats = await handle.stat();
        if (stats.isFile() && stats.size > 0) {
          const content = await this.#contentOf(path, handle, stats);
          const release = await readRelease(signatureFileName(path), content.sha256);
          return { platform, handle, size: stats.size, modifiedAt: stats.mtimeMs, ...content, release };
        }
      } catch (error) {
        await handle.close();
        throw error;
      }
      await handle.close();
    }
    return undefined;
  }

  #contentOf(path: string, handle: FileHandle, { dev, ino, size, mtimeMs, ctimeMs }: Stats): Promise<Content> {
    const identity = [dev, ino, size, mtimeMs, ctimeMs].join();
    const known = this.#contents.get(path);
    if (known?.identity === identity) return known.content;
    const content = readContent(handle, size);
    this.#contents.set(path, { identity, content });
    // Do not cache a failure: the next read may succeed.
    content.catch(() => this.#contents.delete(path));
    return content;
  }
}

/** Longer than the longest marker, which may span two chunks. */
const OVERLAP = 200;

async function readContent(handle: FileHandle, size: number): Promise<Content> {
  const hash = createHash('sha256');
  let version: string | null = null;
  let before = '';
  for await (const piece of handle.createReadStream({
    start: 0,
    end: size - 1,
    autoClose: false,
  }) as AsyncIterable<Buffer>) {
    hash.update(piece);
    if (version !== null) continue;
    const text = before + piece.toString('latin1');
    version = agentMarkPattern.exec(text)?.[1] ?? null;
    before = text.slice(-OVERLAP);
  }
  return { sha256: hash.digest('hex'), version };
}

const isRelease = Compile(ReleaseSignature);

/** Reads a few hundred bytes, so it is not cached. A file that is being replaced counts as unsigned for that moment. */
async function readRelease(path: string, sha256: string): Promise<ReleaseSignature | null> {
  try {
    const release: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isRelease.Check(release) && release.sha256 === sha256 ? release : null;
  } catch {
    return null;
  }
}

export function platformOf(os: string, arch: string): AgentPlatform | undefined {
  const system = agentSystems.find((system) => system === os);
  const processor = agentArchs.find((item) => item === arch);
  return system && processor && { os: system, arch: processor };
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR'].includes(code)) return undefined;
    throw error;
  }
}
