import { freePort } from '@hortus/testkit/port';
import { startProcess } from '@hortus/testkit/process';
import type { Bench, Figure } from './claim.ts';
import { median } from './claim.ts';
import { startService } from './service-process.ts';
import { load } from './wrk.ts';

const SECONDS = 4;

/** Measures cached, authenticated and rate-limited reads of the catalog against `node:http` sending the same bytes. */
export const templatesRead: Bench = {
  name: 'templates-read',
  async run(repetitions) {
    const service = await startService();
    try {
      const figures: Figure[] = [];
      for (const path of ['/templates', '/templates/postgres']) figures.push(await compare(service, path, repetitions));
      return figures;
    } finally {
      await service.stop();
    }
  },
};

async function compare(
  service: Awaited<ReturnType<typeof startService>>,
  path: string,
  repetitions: number,
): Promise<Figure> {
  const url = `${service.base}${path}`;
  const bare = await startBare(url, service.headers);
  const measure = (target: string) =>
    load({ url: target, connections: 64, seconds: SECONDS, headers: service.headers, folder: service.folder });
  const pairs: { ours: number; bare: number; p99: number }[] = [];
  try {
    await measure(url);
    for (let i = 0; i < repetitions; i++) {
      const ours = await measure(url);
      pairs.push({ ours: ours.perSecond, p99: ours.p99Ms, bare: (await measure(bare.url)).perSecond });
    }
  } finally {
    await bare.stop();
  }
  return {
    claim: `GET ${path}, 64 connections`,
    value: median(pairs.map((p) => p.ours)),
    unit: 'requests/s',
    against: { name: 'bare node:http', value: median(pairs.map((p) => p.bare)) },
    ratio: median(pairs.map((p) => p.ours / p.bare)),
    promise: { atLeast: 0.6 },
    note: `p99 ${median(pairs.map((p) => p.p99)).toFixed(1)} ms`,
  };
}

async function startBare(url: string, headers: Record<string, string>) {
  const response = await fetch(url, { headers });
  const hopByHop = new Set(['connection', 'keep-alive', 'date']);
  const sample = {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !hopByHop.has(name)).flat(),
    body: await response.text(),
  };
  const port = await freePort();
  const child = startProcess([
    'taskset',
    '-c',
    '0',
    process.execPath,
    'bench/bare-http.ts',
    String(port),
    JSON.stringify(sample),
  ]);
  await child.waitForHttp(`http://127.0.0.1:${port}/`);
  return { url: `http://127.0.0.1:${port}/`, stop: () => child.stop() };
}
