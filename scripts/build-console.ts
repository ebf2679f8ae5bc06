import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { consoleBuild, sourceFolder } from '@hortus/web/build/vite-options';
import { build } from 'vite';

/** Builds the console into a folder: hashed files, the page that loads them, and compressed copies of both. */
export async function buildConsoleInto(folder: string): Promise<void> {
  await build(consoleBuild(folder));
  await addThemeScript(folder);
  await addFontPreloads(folder);
  await compressAll(folder);
}

/**
 * Adds the script that sets the theme before the first paint. It blocks, so it is not a module, and Vite would leave it
 * without a hash; inline is forbidden by the Content-Security-Policy.
 */
async function addThemeScript(folder: string): Promise<void> {
  const script = await readFile(join(sourceFolder, 'theme', 'before-paint.js'));
  const name = `theme-${createHash('sha256').update(script).digest('hex').slice(0, 8)}.js`;
  await writeFile(join(folder, 'assets', name), script);
  for (const page of ['index.html', 'terminal.html']) {
    const path = join(folder, page);
    const html = await readFile(path, 'utf8');
    await writeFile(path, html.replace('<head>', `<head>\n    <script src="/assets/${name}"></script>`));
  }
}

/** The fonts that every page uses; they must be there before its text. The others would cause a warning where unused. */
const EARLY_FONTS = /^(?:newsreader|instrument-sans)-latin-wght-normal-.*\.woff2$/;

async function addFontPreloads(folder: string): Promise<void> {
  const names = (await readdir(join(folder, 'assets'))).filter((name) => EARLY_FONTS.test(name));
  const links = names.map(
    (name) => `    <link rel="preload" href="/assets/${name}" as="font" type="font/woff2" crossorigin />\n`,
  );
  const page = join(folder, 'index.html');
  await writeFile(page, (await readFile(page, 'utf8')).replace('  </head>', `${links.join('')}  </head>`));
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

async function compressAll(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  const texts = names.filter((name) => /\.(?:html|js|css|svg)$/.test(name));
  await Promise.all(
    texts.map(async (name) => {
      const path = join(folder, name);
      const bytes = await readFile(path);
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      await writeFile(`${path}.br`, await brotli(bytes, { params }));
      await writeFile(`${path}.gz`, await zip(bytes, { level: 9 }));
    }),
  );
}

if (import.meta.main) await buildConsoleInto(process.argv[2] as string);
