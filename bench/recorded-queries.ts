import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, Server } from 'node:http';
import pg from 'pg';

/**
 * Preloaded into the service: answers the statements that it sent to PostgreSQL for requests since the last request to this port.
 * Those of background work are left out.
 */
let queries: { name: string; text: string; values: unknown[] }[] = [];
const names = new Map<string, string>();
const request = new AsyncLocalStorage<true>();

const { emit } = Server.prototype;
Server.prototype.emit = function (this: Server, ...args: unknown[]) {
  const emitted = () => (emit as (...input: unknown[]) => boolean).apply(this, args);
  return args[0] === 'request' ? request.run(true, emitted) : emitted();
} as typeof emit;

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const { text, values } = args[0] as { text?: string; values?: unknown[] };
  if (request.getStore() && text !== undefined) {
    if (!names.has(text)) names.set(text, `bare_${names.size}`);
    queries.push({ name: names.get(text) as string, text, values: values ?? [] });
  }
  return (query as (...input: unknown[]) => unknown).apply(this, args);
} as typeof query;

const server = createServer((_request, response) => {
  response.end(JSON.stringify(queries));
  queries = [];
});
server.listen(Number(process.env.BENCH_QUERIES_PORT), '127.0.0.1');
server.unref();
