import type { Problem } from '@hortus/garden/secret-places';
import type { TreeEntry } from 'isomorphic-git';
import { invalid } from '../../../problem.ts';
import type { MemoryFiles } from './memory-files.ts';

type Git = typeof import('isomorphic-git');

/** Thrown if a file of a commit cannot be used; each problem names the file. */
export class Unfit extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems[0]?.message);
    this.problems = problems;
  }

  static of(field: string, message: string): Unfit {
    return new Unfit([{ field, message }]);
  }
}

/** Where the library finds the objects. */
interface Place {
  readonly fs: MemoryFiles['fs'];
  readonly gitdir: string;
  readonly cache: object;
}

const FOLDER = '/repository';
const PACK = 'objects/pack/pack-received.pack';
const MAX_SUBJECT_LENGTH = 200;
const MAX_AUTHOR_LENGTH = 100;
/** Modes of regular files; the rest are symbolic links and submodules. */
const REGULAR = new Set(['100644', '100755', '100664']);

/** The files of one commit, read by the library from a pack that was checked. Nothing is checked out. */
export class CommitTree {
  static readonly PACK = `${FOLDER}/${PACK}`;
  readonly #git: Git;
  readonly #place: Place;
  readonly #root: string;
  readonly commit: { subject: string; author: string; committedAt: number | null };

  private constructor(git: Git, place: Place, read: Awaited<ReturnType<Git['readCommit']>>) {
    this.#git = git;
    this.#place = place;
    const { message, author, committer, tree } = read.commit;
    this.#root = tree;
    const seconds = committer?.timestamp ?? author?.timestamp;
    this.commit = {
      subject: shown(message.trimStart().split('\n', 1)[0] ?? '', MAX_SUBJECT_LENGTH),
      author: shown(author?.name ?? '', MAX_AUTHOR_LENGTH),
      committedAt: Number.isSafeInteger(seconds) && seconds >= 0 && seconds < 253_402_300_800 ? seconds * 1_000 : null,
    };
  }

  static async open({ fs }: MemoryFiles, sha: string): Promise<CommitTree> {
    // Loaded when it is needed: most threads never read a repository.
    const git = await import('isomorphic-git');
    const place = { fs, gitdir: FOLDER, cache: {} };
    try {
      await git.indexPack({ ...place, dir: FOLDER, filepath: PACK });
      return new CommitTree(git, place, await git.readCommit({ ...place, oid: sha }));
    } catch {
      throw invalid('repository', 'sent data that is not the commit.', { reason: 'malformed' });
    }
  }

  /** Reads a text file. Symbolic links are not followed, and submodules not entered. */
  async text(path: string, maxLength: number): Promise<string> {
    const entry = await this.#find(path);
    const bytes = await this.#blob(path, entry.oid);
    if (bytes.length > maxLength) throw Unfit.of(path, `is larger than ${maxLength} bytes`);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw Unfit.of(path, 'is no text in UTF-8');
    }
  }

  async #blob(path: string, oid: string): Promise<Uint8Array> {
    try {
      return (await this.#git.readBlob({ ...this.#place, oid })).blob;
    } catch {
      // Servers leave out files that are far too large.
      throw Unfit.of(path, 'is too large, or the server did not send it');
    }
  }

  async #find(path: string): Promise<TreeEntry> {
    const parts = path.split('/');
    let tree = this.#root;
    for (const [index, part] of parts.entries()) {
      const so = parts.slice(0, index + 1).join('/');
      const entry = (await this.#entries(tree)).find(({ path: name }) => name === part);
      if (!entry) throw Unfit.of(path, 'is not in the repository');
      if (entry.mode === '120000') throw Unfit.of(so, 'is a symbolic link; put the file itself there');
      if (entry.type === 'commit') throw Unfit.of(so, 'is a submodule; put the files into this repository');
      const isLast = index === parts.length - 1;
      if (isLast && REGULAR.has(entry.mode)) return entry;
      if (isLast || entry.type !== 'tree') throw Unfit.of(so, isLast ? 'is a folder' : 'is no folder');
      tree = entry.oid;
    }
    throw Unfit.of(path, 'is not in the repository');
  }

  async #entries(oid: string): Promise<readonly TreeEntry[]> {
    try {
      return (await this.#git.readTree({ ...this.#place, oid })).tree;
    } catch {
      throw invalid('repository', 'sent a folder that is not valid.', { reason: 'malformed' });
    }
  }
}

/** Makes a text of a stranger one visible line. */
const shown = (text: string, max: number): string =>
  text
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed();
