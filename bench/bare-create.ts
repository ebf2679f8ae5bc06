import { createServer } from 'node:http';
import { openLoop } from './group-commit-loop.ts';

/**
 * Measures two limits of a creation on SQLite. POST reads a body, writes the rows and answers as many bytes as the service,
 * without routes, keys, checks or limits. GET lets 32 callers in this process write rows for one second without HTTP, and answers
 * their number.
 */
const [directory = '', port = '0'] = process.argv.slice(2);
const insert = await openLoop(directory);
const reply = JSON.stringify({ success: true, data: 'x'.repeat(600) });
let written = 0;

async function loopFor(ms: number): Promise<number> {
  const startedAt = performance.now();
  const before = written;
  const caller = async () => {
    while (performance.now() < startedAt + ms) await insert(++written);
  };
  await Promise.all(Array.from({ length: 32 }, caller));
  return (written - before) / ((performance.now() - startedAt) / 1000);
}

createServer(async (request, response) => {
  if (request.method === 'GET') return void response.end(String(await loopFor(1_000)));
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (part: string) => {
    body += part;
  });
  request.on('end', async () => {
    JSON.parse(body);
    await insert(++written);
    response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': reply.length });
    response.end(reply);
  });
}).listen(Number(port), '127.0.0.1', () => console.log('listening'));
