import { createServer } from 'node:http';
import pg from 'pg';

/** Preloaded into the service: answers the statements that it sent to PostgreSQL since the last request to this port. */
let queries: { name: string; text: string; values: unknown[] }[] = [];
const names = new Map<string, string>();
const { query } = pg.Pool.prototype;
pg.Pool.prototype.query = function (this: pg.Pool, ...args: unknown[]) {
  const { text, values } = args[0] as { text?: string; values?: unknown[] };
  if (text !== undefined) {
    if (!names.has(text)) names.set(text, `bare_${names.size}`);
    queries.push({ name: names.get(text) as string, text, values: values ?? [] });
  }
  return (query as (...given: unknown[]) => unknown).apply(this, args);
} as typeof query;

const server = createServer((_request, response) => {
  response.end(JSON.stringify(queries));
  queries = [];
});
server.listen(Number(process.env.BENCH_QUERIES_PORT), '127.0.0.1');
server.unref();
