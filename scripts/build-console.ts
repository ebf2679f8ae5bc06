import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { consoleBuild, sourceFolder } from '@hortus/web/build/vite-options';
import { build, minify } from 'vite';

/** Builds the console into a folder: hashed files, the page that loads them, and compressed copies of both. */
async function buildConsoleInto(folder: string): Promise<void> {
  // Vite would respect that of a test, and build React for development.
  process.env.NODE_ENV = 'production';
  await build(consoleBuild(folder));
  await addFirstScripts(folder);
  await addFontPreloads(folder);
  await compressAll(folder);
}

/**
 * Writes the scripts into the pages that must run whatever happens to the files of the console. The service allows them
 * by their hash.
 */
async function addFirstScripts(folder: string): Promise<void> {
  const scripts = ['load-again.js', 'theme.js'].map((name) =>
    readFile(join(sourceFolder, 'inline-scripts', name), 'utf8'),
  );
  const { code } = await minify('first.js', (await Promise.all(scripts)).join(''));
  for (const page of ['index.html', 'terminal.html']) {
    const path = join(folder, page);
    const html = await readFile(path, 'utf8');
    await writeFile(
      path,
      html.replace('<head>', () => `<head>\n    <script>${code.trim()}</script>`),
    );
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
