import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import pg from 'pg';
import type { BareRead } from './reads.ts';

/**
 * The limit of reads: `node:http` that sends the bytes and headers of real answers, by path. With a database it first runs the
 * statements that the service ran for the same answer, prepared, on as many connections.
 */
const [port = '0', file = '', database = ''] = process.argv.slice(2);
const reads = new Map(
  Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, BareRead>).map(([path, read]) => [
    path,
    { ...read, bytes: Buffer.from(read.body) },
  ]),
);
const pool = database === '' ? undefined : new pg.Pool({ connectionString: database, max: 16 });

createServer(async (request, response) => {
  const read = reads.get(request.url as string);
  if (!read) return void response.writeHead(200).end();
  if (pool) for (const query of read.queries) await pool.query(query);
  response.writeHead(200, [...read.headers]);
  response.end(read.bytes);
  return undefined;
}).listen(Number(port), '127.0.0.1');
