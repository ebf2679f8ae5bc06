import { createServer } from 'node:http';
import { openLoop } from './group-commit-loop.ts';

/** The limit with HTTP: reads a body, writes the same rows, answers as many bytes. No routes, keys, checks or limits. */
const [directory = '', port = '0'] = process.argv.slice(2);
const insert = await openLoop(directory);
const answer = JSON.stringify({ success: true, data: 'x'.repeat(600) });
let written = 0;
createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (part: string) => {
    body += part;
  });
  request.on('end', async () => {
    JSON.parse(body);
    await insert(++written);
    response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': answer.length });
    response.end(answer);
  });
}).listen(Number(port), '127.0.0.1', () => console.log('listening'));
