import { type IncomingMessage, request } from 'node:http';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import type { Manifest, ManifestRoute } from '@hortus/contract/template/manifest';
import { routeScheme } from '@hortus/template/resolution/route-address';
import type { Callee } from '../instances/ways.ts';
import type { Sight, SmokeCheck } from './smoke-check.ts';

type RouteTest = NonNullable<Manifest['smoke'][number]['http']>;

/** Bytes of a body that are searched. */
const READ_BYTES = 1024 * 1024;
/** Characters of an unexpected body that are shown. */
const SHOWN = 300;

export function routeWords(
  routes: readonly ManifestRoute[],
  { route: name, path, expect, contains }: RouteTest,
): Pick<SmokeCheck, 'asked' | 'expected'> {
  const route = routes.find((route) => route.name === name);
  const asked = `GET ${route ? fullPath(route, path) : path} of route ${name}`;
  return { asked, expected: contains === undefined ? `${expect}` : `${expect} with ${JSON.stringify(contains)}` };
}

/**
 * Sends the request that the ingress would send, but directly to the container: a test has no DNS name. Redirects are
 * not followed; `expect` may be a redirect status.
 */
export function askRoute(callee: Callee, route: ManifestRoute, test: RouteTest, signal: AbortSignal): Promise<Sight> {
  const { expect, contains } = test;
  return new Promise((resolve, reject) => {
    const outgoing = request({
      ...callee,
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
    const broken = (error: Error) =>
      resolve({ ok: false, seen: signal.aborted ? 'no response in time' : error.message });
    const onResponse = (response: IncomingMessage) => {
      const status = response.statusCode ?? 0;
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
        // Stop reading a response that is too long.
        judge();
        response.destroy();
      };
      response.on('data', guardedBy(reject, add));
      response.on('end', guardedBy(reject, judge));
      response.on('error', guardedBy(reject, broken));
    };
    outgoing.on('error', guardedBy(reject, broken));
    outgoing.on('response', guardedBy(reject, onResponse));
    outgoing.end();
  });
}

const fullPath = (route: ManifestRoute, path: string): string => `${route.path.replace(/\/$/, '')}${path}`;

function shown(body: string): string {
  const words = body.replaceAll('\0', '\uFFFD').trim();
  if (words === '') return ' with an empty body';
  return `: ${words.length > SHOWN ? `${words.slice(0, SHOWN)}…` : words}`;
}
