import { readFile } from 'node:fs/promises';
import { Failure } from '../failure.ts';
import type { World } from '../world.ts';

export const passphraseOption = {
  'passphrase-file': {
    type: 'string',
    value: 'file',
    about: 'The passphrase is in this file; otherwise HORTUS_BUNDLE_PASSPHRASE, or it is asked for.',
  },
} as const;

const SHORTEST = 8;

/** Never an argument: those are for everybody on the machine to read. `twice` for one that is chosen now. */
export async function readPassphrase(
  { terminal, env }: World,
  file: string | undefined,
  { twice }: { twice: boolean },
): Promise<string> {
  const given = file === undefined ? env.HORTUS_BUNDLE_PASSPHRASE : await contentOf(file);
  if (given !== undefined && given !== '') return longEnough(given);
  if (!terminal.interactive) {
    const hint = 'Set HORTUS_BUNDLE_PASSPHRASE, or name a file with --passphrase-file.';
    throw new Failure('usage', 'No passphrase was given for the bundle.', { hint });
  }
  const asked = longEnough(await terminal.ask('Passphrase of the bundle (not shown): ', { hidden: true }));
  if (twice && (await terminal.ask('Once more: ', { hidden: true })) !== asked)
    throw new Failure('usage', 'The two are not the same. Nothing was done.');
  return asked;
}

function longEnough(passphrase: string): string {
  if (passphrase.length >= SHORTEST) return passphrase;
  throw new Failure('usage', `A passphrase has at least ${SHORTEST} characters.`);
}

async function contentOf(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Failure('missing', `There is no file ${file} that can be read.`);
  });
  return text.replace(/\r?\n$/, '');
}
