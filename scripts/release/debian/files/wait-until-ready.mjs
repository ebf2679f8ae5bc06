// Ends when the service answers. systemd ends it if the service dies or takes too long.
import { setTimeout as sleep } from 'node:timers/promises';

const everywhere = { '0.0.0.0': '127.0.0.1', '::': '::1' };
const given = process.env.HORTUS_HOST || '127.0.0.1';
const host = everywhere[given] ?? given;
const port = process.env.HORTUS_PORT || '8420';
const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/api/v1/health`;

// Port 0 is chosen by the system and not known here.
while (port !== '0') {
  const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  await answer?.body?.cancel();
  if (answer?.ok) break;
  await sleep(100);
}
