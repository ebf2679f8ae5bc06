// Health check of the image, which has no shell and no curl: ends with 0 if the service can answer requests.
import { get } from 'node:http';

const { HORTUS_HOST = '0.0.0.0', HORTUS_PORT } = process.env;
const everywhere: Record<string, string> = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' };

const request = get(
  { host: everywhere[HORTUS_HOST] ?? HORTUS_HOST, port: HORTUS_PORT || 8420, path: '/ready', timeout: 4_000 },
  (response) => {
    if (response.statusCode !== 200) fail(`GET /ready answered ${response.statusCode}.`);
    response.resume();
  },
);
request.on('timeout', () => request.destroy(new Error('GET /ready timed out.')));
request.on('error', (error) => fail(error.message));

function fail(reason: string): void {
  console.error(reason);
  process.exitCode = 1;
}
