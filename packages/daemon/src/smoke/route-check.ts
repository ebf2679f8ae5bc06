import { type IncomingMessage, request } from 'node:http';
import { guardedBy } from '@hortus/client/guard';
import type { Manifest, ManifestRoute } from '@hortus/contract/template/manifest';
import { routeScheme } from '@hortus/template/resolution/route-address';
import type { Sight, SmokeCheck } from './smoke.ts';

type RouteTest = NonNullable<Manifest['smoke'][number]['http']>;

/** Of a body, what is looked through. */
const READ_BYTES = 1024 * 1024;
/** Of a body that is not as it should be, what is shown. */
const SHOWN = 300;

export function routeWords(
  routes: readonly ManifestRoute[],
  { route: name, path, expect, contains }: RouteTest,
): Pick<SmokeCheck, 'asked' | 'expected'> {
  const route = routes.find((one) => one.name === name);
  const asked = `GET ${route ? fullPath(route, path) : path} of route ${name}`;
  return { asked, expected: contains === undefined ? `${expect}` : `${expect} with ${JSON.stringify(contains)}` };
}

/**
 * Asks as the ingress would, but the container itself: a test has no name of its own in the DNS, and what is tried is the
 * application. Nothing is followed: a redirect to a login is an answer, and `expect` says which is the right one.
 */
export function askRoute(host: string, route: ManifestRoute, test: RouteTest, signal: AbortSignal): Promise<Sight> {
  const { expect, contains } = test;
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host,
      port: route.port,
      path: route.strip ? test.path : fullPath(route, test.path),
      headers: {
        Host: route.host,
        'X-Forwarded-Host': route.host,
        'X-Forwarded-Proto': routeScheme(route),
        'X-Forwarded-For': '127.0.0.1',
      },
      signal,
      agent: false,
    });
    const broken = (error: Error) => resolve({ ok: false, seen: signal.aborted ? 'no answer in time' : error.message });
    const answered = (answer: IncomingMessage) => {
      const status = answer.statusCode ?? 0;
      const chunks: Buffer[] = [];
      let size = 0;
      const judge = () => {
        const body = Buffer.concat(chunks).subarray(0, READ_BYTES).toString('utf8');
        const ok = status === expect && (contains === undefined || body.includes(contains));
        resolve({ ok, seen: ok ? `${status}` : `${status}${shown(body)}` });
      };
      const add = (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size < READ_BYTES) return;
        // No page is so long: an answer without an end is not read on.
        judge();
        answer.destroy();
      };
      answer.on('data', guardedBy(reject, add));
      answer.on('end', guardedBy(reject, judge));
      answer.on('error', guardedBy(reject, broken));
    };
    outgoing.on('error', guardedBy(reject, broken));
    outgoing.on('response', guardedBy(reject, answered));
    outgoing.end();
  });
}

const fullPath = (route: ManifestRoute, path: string): string => `${route.path.replace(/\/$/, '')}${path}`;

function shown(body: string): string {
  const words = body.replaceAll('\0', '\uFFFD').trim();
  if (words === '') return ' with an empty body';
  return `: ${words.length > SHOWN ? `${words.slice(0, SHOWN)}…` : words}`;
}
