import { readFile } from 'node:fs/promises';
import { Failure } from '../failure.ts';
import type { World } from '../world/world.ts';

export const passphraseOption = {
  'passphrase-file': {
    type: 'string',
    value: 'file',
    about: 'File with the passphrase; otherwise HORTUS_BUNDLE_PASSPHRASE is used, or you are asked.',
  },
} as const;

const MIN_LENGTH = 8;

/** Reads the passphrase, never from an argument, which other users could see. `twice` asks again for a new passphrase. */
export async function readPassphrase(
  { terminal, env }: World,
  file: string | undefined,
  { twice }: { twice: boolean },
): Promise<string> {
  const input = file === undefined ? env.HORTUS_BUNDLE_PASSPHRASE : await contentOf(file);
  if (input !== undefined && input !== '') return longEnough(input);
  if (!terminal.interactive) {
    const hint = 'Set HORTUS_BUNDLE_PASSPHRASE, or name a file with --passphrase-file.';
    throw new Failure('usage', 'No passphrase was given for the bundle.', { hint });
  }
  const asked = longEnough(await terminal.ask('Passphrase of the bundle (not shown): ', { hidden: true }));
  if (twice && (await terminal.ask('Repeat the passphrase: ', { hidden: true })) !== asked)
    throw new Failure('usage', 'The passphrases do not match. Nothing was done.');
  return asked;
}

function longEnough(passphrase: string): string {
  if (passphrase.length >= MIN_LENGTH) return passphrase;
  throw new Failure('usage', `The passphrase must have at least ${MIN_LENGTH} characters.`);
}

async function contentOf(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Failure('missing', `${file} does not exist or cannot be read.`);
  });
  return text.replace(/\r?\n$/, '');
}
