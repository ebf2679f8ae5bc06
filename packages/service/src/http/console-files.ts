import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** One file of the console, with the compressed forms that the build made. */
export interface ConsoleFile {
  readonly type: string;
  /** Weak: the same for all encodings. */
  readonly etag: string;
  readonly plain: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

/** A page with one script of its own. */
interface ConsolePage extends ConsoleFile {
  /** Hash of that script, as the Content-Security-Policy names it. */
  readonly scriptHash: string | undefined;
}

/** The built console in memory: a build that replaces the folder does not disturb a running service. */
export interface ConsoleFiles {
  /** The page of every route. */
  readonly page: ConsolePage;
  /** The frame with the terminal; undefined if an older build is served because the last one failed. */
  readonly terminal: ConsolePage | undefined;
  /** Files with a hash in their name, by name. No path is ever derived from a request. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Reads the built console; undefined if it was not built. A build that replaces it meanwhile is read instead. */
export async function loadConsole(directory: string): Promise<ConsoleFiles | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await loadOnce(directory);
    } catch (error) {
      if (!isMissing(error) || attempt === 3) throw error;
    }
  }
}

async function loadOnce(directory: string): Promise<ConsoleFiles | undefined> {
  const folder = join(directory, 'assets');
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (names === undefined) return undefined;
  const wanted = names.filter((name) => extname(name) in TYPES);
  const files = await Promise.all(wanted.map(async (name) => [name, await load(folder, name)] as const));
  const hasTerminal = (await readdir(directory)).includes('terminal.html');
  return {
    page: await loadPage(directory, 'index.html'),
    terminal: hasTerminal ? await loadPage(directory, 'terminal.html') : undefined,
    assets: new Map(files),
  };
}

const OPENING = '<script>';

async function loadPage(folder: string, name: string): Promise<ConsolePage> {
  const file = await load(folder, name);
  const script = inlineScript(file.plain.toString());
  return { ...file, scriptHash: script === undefined ? undefined : `sha256-${hash('sha256', script, 'base64')}` };
}

/** Returns the script inside of a page; those with attributes are files of their own. */
function inlineScript(page: string): string | undefined {
  const start = page.indexOf(OPENING);
  const end = page.indexOf('</script>', start);
  return start < 0 || end < 0 ? undefined : page.slice(start + OPENING.length, end);
}

async function load(folder: string, name: string): Promise<ConsoleFile> {
  const path = join(folder, name);
  const [plain, br, gzip] = await Promise.all([readFile(path), optional(`${path}.br`), optional(`${path}.gz`)]);
  const etag = `W/"${hash('sha256', plain, 'base64url').slice(0, 32)}"`;
  return { type: TYPES[extname(name)] as string, etag, plain, br, gzip };
}

const optional = (path: string) => readFile(path).catch(() => undefined);
