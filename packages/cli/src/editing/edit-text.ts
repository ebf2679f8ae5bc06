import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Failure } from '../failure.ts';
import { safeLine } from '../output/safe-text.ts';
import type { World } from '../world/world.ts';

const ERROR = '# Error: ';

export interface Editing<Result> {
  /** Name of the file, whose ending tells the editor the language. */
  readonly name: string;
  readonly text: string;
  /** Tries to use the edited text. */
  apply(text: string): Promise<Result>;
  /** Returns the message to show in the text, or undefined if editing again cannot help. */
  mistakeOf(error: unknown): string | undefined;
}

/**
 * Opens the text in the user's editor until it can be applied; a mistake is shown as a comment in it. Returns undefined if the
 * text was left unchanged. If applying fails for another reason, the file is kept, so that no work is lost.
 */
export async function editText<Result>(world: World, editing: Editing<Result>): Promise<Result | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'hortus-'));
  // The name comes from the service.
  const file = join(folder, basename(editing.name));
  let isKept = false;
  try {
    let before = editing.text;
    await writeFile(file, before, { mode: 0o600 });
    for (;;) {
      await runEditor(world, file);
      const text = withoutErrors(await readFile(file, 'utf8'));
      if (text === editing.text || text.trim() === '') return undefined;
      if (text === before) throw new Failure('refused', 'The text still has the same error. Nothing was changed.');
      before = text;
      try {
        return await editing.apply(text);
      } catch (error) {
        const mistake = editing.mistakeOf(error);
        if (mistake === undefined) {
          isKept = true;
          world.terminal.note(`Your text is kept in ${file}.\n`);
          throw error;
        }
        await writeFile(file, `${ERROR}${safeLine(mistake)}\n${text}`);
      }
    }
  } finally {
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}

const withoutErrors = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.startsWith(ERROR))
    .join('\n');

/** Runs $VISUAL, $EDITOR or vi. The variable may contain arguments, such as `code --wait`; no shell interprets it. */
async function runEditor({ env, programs }: World, file: string): Promise<void> {
  const [program = 'vi', ...args] = (env.VISUAL || env.EDITOR || 'vi').trim().split(/\s+/);
  const code = await programs.run(program, [...args, file]);
  if (code === undefined)
    throw new Failure('usage', `The editor ${program} was not found.`, { hint: 'Set EDITOR to your editor.' });
  if (code !== 0) throw new Failure('failed', `The editor ended with ${code}. Nothing was changed.`);
}
