// npm run build:cli: the bundle and the manual page for packages, in dist/cli. The bundle needs only Node.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manualPage } from '@hortus/cli/command-line/manual';
import { table } from '@hortus/cli/commands/table';
import { bundleCli } from './bundle.ts';

const folder = join(import.meta.dirname, '../../dist/cli');
await rm(folder, { recursive: true, force: true });
await bundleCli(folder);
await writeFile(join(folder, 'hortus.1'), manualPage(table));
