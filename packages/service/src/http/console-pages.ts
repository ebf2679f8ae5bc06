import { encodings, takesEncoding } from './accepted-encoding.ts';
import type { ConsoleFile, ConsoleFiles } from './console-files.ts';
import { noSuchPath } from './errors.ts';
import type { Exchange, Match } from './exchange.ts';
import type { Access } from './gate.ts';
import { isFresh } from './prepared.ts';
import type { Router } from './router.ts';
import { consolePolicy, terminalPolicy } from './security-headers.ts';

const access: Access = { permission: 'public', counted: true };
const page: Access = { ...access, page: true };

/** Paths that are not pages of the console, whatever a browser asks for below them. */
const RESERVED = new Set(['api', 'assets', 'docs', 'frames', 'health', 'metrics', 'ready', 'ws']);

/** Finds the page for a path without a route. */
export type PageFor = (method: string, path: string, accept: string | undefined) => Match | undefined;

/**
 * Serves the console: its hashed files, and its one page at `/` and at every path that it may have as a route. Programs that
 * mistype a path still get a 404, because only browsers accept HTML. Without a build, `/` leads to the reference.
 */
export function addConsole(router: Router, files: ConsoleFiles | undefined): PageFor {
  if (!files) {
    router.add('GET', '/', { name: '/', access: page, handle: leadToReference });
    return () => undefined;
  }
  const policy = consolePolicy(files.page.scriptHash);
  const handle = (exchange: Exchange) => {
    exchange.with({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' });
    send(exchange, files.page);
  };
  router.add('GET', '/', { name: '/', access: page, handle });
  router.add('GET', '/frames/terminal', {
    name: '/frames/terminal',
    access: page,
    handle(exchange) {
      if (!files.terminal) throw noSuchPath();
      const policy = terminalPolicy(files.terminal.scriptHash);
      send(exchange.with({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' }), files.terminal);
    },
  });
  router.add('GET', '/assets/{file}', {
    name: '/assets',
    access,
    handle(exchange) {
      const file = files.assets.get(exchange.params.file as string);
      if (!file) throw noSuchPath();
      send(exchange.with({ 'Cache-Control': 'public, max-age=31536000, immutable' }), file);
    },
  });
  const match: Match = { route: { name: 'console', access: page, handle }, params: {} };
  return (method, path, accept) => {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const isPage = accept?.includes('text/html') && !RESERVED.has(path.split('/', 2)[1] as string);
    return isPage ? match : undefined;
  };
}

function leadToReference(exchange: Exchange): void {
  exchange.status = 302;
  exchange.with({ Location: '/docs' }).send();
}

function send(exchange: Exchange, file: ConsoleFile): void {
  exchange.with({ ETag: file.etag, 'Content-Type': file.type, Vary: 'Accept-Encoding' });
  const known = exchange.headers['if-none-match'];
  if (known !== undefined && isFresh(known, file.etag)) {
    exchange.status = 304;
    exchange.send();
    return;
  }
  for (const encoding of encodings) {
    const body = file[encoding];
    if (!body || !takesEncoding(exchange.headers['accept-encoding'], encoding)) continue;
    exchange.with({ 'Content-Encoding': encoding }).send(body);
    return;
  }
  exchange.send(file.plain);
}
