import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manualPage } from '@hortus/cli/command-line/manual';
import { table } from '@hortus/cli/commands/table';
import { shellScripts } from '@hortus/cli/completion/shells';
import { bundleCli } from '../cli/bundle.ts';
import { bundledLicenses } from './bundled-licenses.ts';
import { copyDocuments, manifestOf } from './staged-package.ts';

const source = join(import.meta.dirname, '../../packages/cli');

/** Files of the completion, as the folders of each shell expect them. */
const completions: Readonly<Record<keyof typeof shellScripts, string>> = {
  bash: 'hortus.bash',
  zsh: '_hortus',
  fish: 'hortus.fish',
};

/** Writes the files of the package hortus, the command line client. */
export async function stageCli(folder: string): Promise<void> {
  const bundled = await bundleCli(join(folder, 'dist'));
  await chmod(join(folder, 'dist/main.mjs'), 0o755);
  for (const name of ['man', 'completions']) await mkdir(join(folder, name));
  await writeFile(join(folder, 'man/hortus.1'), manualPage(table));
  for (const [shell, file] of Object.entries(completions))
    await writeFile(join(folder, 'completions', file), shellScripts[shell as keyof typeof shellScripts]);
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), bundledLicenses(bundled));
  await copyDocuments(source, folder);
  await writeFile(
    join(folder, 'package.json'),
    manifestOf(source, {
      name: 'hortus',
      description: 'Command line client of Hortus: deploy applications to your own servers, watch them, act on them.',
      keywords: ['hortus', 'deployment', 'containers', 'cli'],
      type: 'module',
      bin: { hortus: 'dist/main.mjs' },
      man: ['./man/hortus.1'],
    }),
  );
}
