import { readFile } from 'node:fs/promises';
import { Failure } from '../failure.ts';
import type { World } from '../world/world.ts';

/** Splits 'K=V' at the first '='; the value is taken byte for byte. */
export function assignment(option: string, text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1)
    throw new Failure('usage', `--${option} expects name=value; ${JSON.stringify(text.slice(0, 40))} has no name.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Collects values given as K=V and K=path; '-' reads standard input. */
export async function valueOptions(
  world: World,
  spelt: { set: string; setFile: string },
  set: readonly string[],
  setFile: readonly string[],
  keepsLastBreak: (name: string) => boolean = () => false,
): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  const put = (name: string, value: string) => {
    if (Object.hasOwn(values, name)) throw new Failure('usage', `${name} is given twice.`);
    values[name] = value;
  };
  for (const text of set) put(...assignment(spelt.set, text));
  for (const text of setFile) {
    const [name, path] = assignment(spelt.setFile, text);
    const content = path === '-' ? await world.terminal.readInput() : await contentOf(path);
    // Removes the final line break that editors and echo add.
    put(name, keepsLastBreak(name) ? content : content.replace(/\r?\n$/, ''));
  }
  return values;
}

export async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Failure(
      'usage',
      missing ? `There is no file ${path}.` : `${path} cannot be read: ${(error as Error).message}`,
    );
  }
}

/** Checks that an option, or an argument that is `named` otherwise, is one of the allowed words. */
export function chosen<const Word extends string>(
  option: string,
  input: string | undefined,
  words: readonly Word[],
  named = `--${option}`,
): Word | undefined {
  if (input === undefined) return undefined;
  const word = words.find((word) => word === input);
  if (word === undefined) throw new Failure('usage', `${named} must be one of ${words.join(', ')}.`);
  return word;
}

/** Reads a secret: asked without echo, or from a file or pipe; never an argument. */
export async function readSecret(world: World, what: string, file: string | undefined): Promise<string> {
  const { terminal } = world;
  const text =
    file !== undefined && file !== '-'
      ? await contentOf(file)
      : terminal.interactive && file === undefined
        ? await terminal.ask(`${what[0]?.toUpperCase()}${what.slice(1)} (not shown): `, { hidden: true })
        : await terminal.readInput();
  // Removes the final line break that editors and echo add.
  const secret = text.replace(/\r?\n$/, '');
  if (secret !== '') return secret;
  throw new Failure('usage', `No ${what} was given.`, { hint: 'Pipe it in, or name a file.' });
}
