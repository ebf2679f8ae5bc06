import { Failure } from '../failure.ts';
import type { Command, ListedCommand } from './command.ts';

/** Node with everything that any command needs: SQLite and Zstandard. Most commands run on older ones. */
const NEEDED = '22.15';

/** Loads the code of a command. Reports a Node that lacks a module or function for it. */
export async function loadCommand(row: ListedCommand): Promise<Command> {
  try {
    return await row.load();
  } catch (error) {
    if (!lacksPartOfNode(error)) throw error;
    throw new Failure('failed', `hortus ${row.name} needs Node ${NEEDED} or later; this is ${process.versions.node}.`, {
      hint: 'Install a newer Node; all other commands work with this one.',
    });
  }
}

const lacksPartOfNode = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_BUILTIN_MODULE' ||
    /^The requested module 'node:\w+' does not provide an export named /.test(error.message));
