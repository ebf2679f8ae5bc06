import { createServer } from 'node:http';

/** The limit: `node:http` that sends the bytes and headers of a real answer, given as JSON in the first argument. */
const { status, headers, body } = JSON.parse(process.argv[3] ?? '{}') as {
  status: number;
  headers: string[];
  body: string;
};
const bytes = Buffer.from(body);
createServer((_request, response) => {
  response.writeHead(status, headers);
  response.end(bytes);
}).listen(Number(process.argv[2]), '127.0.0.1');
