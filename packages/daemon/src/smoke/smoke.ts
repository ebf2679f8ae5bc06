import { setTimeout as sleep } from 'node:timers/promises';
import type { Manifest } from '@hortus/contract/template/manifest';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import { addressOf } from '../instances/address.ts';
import { probe } from '../instances/probe.ts';
import { type RelayTo, UnreachablePort, Ways } from '../instances/ways.ts';
import { taskCheck } from '../swarm/task-check.ts';
import { askRoute, routeWords } from './route-check.ts';
import type { Sight, SmokeCheck } from './smoke-check.ts';

export interface SmokeRun {
  engine: Pick<Engine, 'exec'>;
  manifest: Pick<Manifest, 'smoke' | 'routes'>;
  /** Returns the running container of a component, of an instance or of a trial. */
  containerOf(component: string): Promise<ContainerFacts | undefined>;
  /** Reaches tasks of a cluster that have no address on this machine. */
  relayTo?: RelayTo | undefined;
  /** Time for retries over all checks; after that each check is tried once. */
  timeoutMs?: number;
  /** Time limit of one try. */
  tryMs?: number;
  /** Ends the run; pending checks fail. */
  signal?: AbortSignal;
}

export interface SmokeResult {
  passed: boolean;
  checks: SmokeCheck[];
}

type SmokeTest = Manifest['smoke'][number];
type Words = Pick<SmokeCheck, 'asked' | 'expected'>;

const TIMEOUT_MS = 10_000;
const TRY = 10_000;
const PAUSE = 500;

/**
 * Runs the smoke test of a template against running containers. Runs all checks even after a failure, so that the
 * author sees every problem. Never throws; errors become failed checks.
 */
export async function runSmoke(run: SmokeRun): Promise<SmokeResult> {
  const until = Date.now() + (run.timeoutMs ?? TIMEOUT_MS);
  const checks: SmokeCheck[] = [];
  await using ways = new Ways(run.relayTo, run.signal);
  for (const test of run.manifest.smoke) {
    const began = Date.now();
    const { ok, seen } = await insist(run, ways, test, until);
    checks.push({ ...wordsFor(test, run.manifest), seen, passed: ok, tookMs: Date.now() - began });
  }
  return { passed: checks.every(({ passed }) => passed), checks };
}

/** Retries: an application without a health check may need longer than its container. */
async function insist(run: SmokeRun, ways: Ways, test: SmokeTest, until: number): Promise<Sight> {
  const { signal } = run;
  for (;;) {
    if (signal?.aborted) return { ok: false, seen: 'nothing: the test was aborted' };
    let isFinal = false;
    const sight = await tryOnce(run, ways, test).catch((error: Error) => {
      isFinal = error instanceof UnreachablePort;
      return { ok: false, seen: error.message };
    });
    if (sight.ok || isFinal || Date.now() + PAUSE > until) return sight;
    await sleep(PAUSE, undefined, signal && { signal }).catch(() => undefined);
  }
}

async function tryOnce(run: SmokeRun, ways: Ways, test: SmokeTest): Promise<Sight> {
  const { engine, manifest, containerOf, relayTo, tryMs = TRY, signal } = run;
  const name = componentOf(test, manifest);
  if (name === undefined) return { ok: false, seen: `the template has no route ${test.http?.route}` };
  const container = await containerOf(name);
  if (container === undefined) return { ok: false, seen: `no running container of ${name}` };
  if (test.http) {
    const { http } = test;
    const route = manifest.routes.find((route) => route.name === http.route);
    if (route === undefined) return { ok: false, seen: `the template has no route ${http.route}` };
    const callee = await ways.to(container, route.port);
    if (callee === undefined) return { ok: false, seen: `${name} has no address` };
    const limit = AbortSignal.timeout(tryMs);
    return await askRoute(callee, route, http, signal ? AbortSignal.any([limit, signal]) : limit);
  }
  const once = { timeout_ms: tryMs, interval_ms: 0, start_period_ms: 0, retries: 1 };
  if (test.tcp) {
    const check = { ...once, tcp: { port: test.tcp.port } };
    // A relay accepts connections itself, so the container is asked whether it listens.
    const isRelayed = relayTo !== undefined && addressOf(container) === undefined;
    const result = await probe(engine, container, isRelayed ? { ...once, test: [...taskCheck(check).argv] } : check);
    return result.ok ? { ok: true, seen: 'a connection' } : { ok: false, seen: result.detail };
  }
  const result = await probe(engine, container, { ...once, test: test.exec?.command ?? [] });
  return result.ok ? { ok: true, seen: 'exit code 0' } : { ok: false, seen: result.detail };
}

function componentOf({ http, tcp, exec }: SmokeTest, { routes }: SmokeRun['manifest']): string | undefined {
  if (http) return routes.find(({ name }) => name === http.route)?.component;
  return (tcp ?? exec)?.component;
}

function wordsFor({ http, tcp, exec }: SmokeTest, { routes }: SmokeRun['manifest']): Words {
  if (http) return routeWords(routes, http);
  if (tcp) return { asked: `a connection to ${tcp.component} on port ${tcp.port}`, expected: 'a connection' };
  return { asked: `${exec?.command.join(' ')} in ${exec?.component}`, expected: 'exit code 0' };
}
