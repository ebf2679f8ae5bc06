import { setTimeout as sleep } from 'node:timers/promises';
import type { Manifest } from '@hortus/contract/template/manifest';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import { addressOf } from '../rollout/address.ts';
import { probe } from '../rollout/probe.ts';
import { askRoute, routeWords } from './route-check.ts';

export interface SmokeRun {
  engine: Pick<Engine, 'exec'>;
  manifest: Pick<Manifest, 'smoke' | 'routes'>;
  /** The running container of a component: that of an instance, or one that was made to be tried. */
  containerOf(component: string): Promise<ContainerFacts | undefined>;
  /** How long what fails is tried again, over all checks; after that each is tried once. */
  patienceMs?: number;
  /** How long one try may take. */
  tryMs?: number;
  /** Ends the run; what was not seen by then has failed. */
  signal?: AbortSignal;
}

export interface SmokeCheck {
  /** As a person would say it. It may hold values of secrets, and so may what was seen. */
  asked: string;
  expected: string;
  seen: string;
  passed: boolean;
  tookMs: number;
}

export interface SmokeResult {
  passed: boolean;
  checks: SmokeCheck[];
}

/** What one try saw. */
export interface Sight {
  ok: boolean;
  seen: string;
}

type SmokeTest = Manifest['smoke'][number];
type Words = Pick<SmokeCheck, 'asked' | 'expected'>;

const PATIENCE = 10_000;
const TRY = 10_000;
const PAUSE = 500;

/**
 * Runs the deploy test of a template against containers that run, one check after another, all of them even if one fails: a
 * person who mends a template wants to know everything that is wrong. It never throws; what goes wrong is what was seen.
 */
export async function runSmoke(run: SmokeRun): Promise<SmokeResult> {
  const until = Date.now() + (run.patienceMs ?? PATIENCE);
  const checks: SmokeCheck[] = [];
  for (const test of run.manifest.smoke) {
    const began = Date.now();
    const { ok, seen } = await insist(run, test, until);
    checks.push({ ...wordsFor(test, run.manifest), seen, passed: ok, tookMs: Date.now() - began });
  }
  return { passed: checks.every(({ passed }) => passed), checks };
}

/** An application without a health check may need a moment longer than its container. */
async function insist(run: SmokeRun, test: SmokeTest, until: number): Promise<Sight> {
  const { signal } = run;
  for (;;) {
    if (signal?.aborted) return { ok: false, seen: 'nothing: the test was ended' };
    const sight = await tryOnce(run, test).catch((error: Error) => ({ ok: false, seen: error.message }));
    if (sight.ok || Date.now() + PAUSE > until) return sight;
    await sleep(PAUSE, undefined, signal && { signal }).catch(() => undefined);
  }
}

async function tryOnce(run: SmokeRun, test: SmokeTest): Promise<Sight> {
  const { engine, manifest, containerOf, tryMs = TRY, signal } = run;
  const name = componentOf(test, manifest);
  if (name === undefined) return { ok: false, seen: `the template has no route ${test.http?.route}` };
  const container = await containerOf(name);
  if (container === undefined) return { ok: false, seen: `no running container of ${name}` };
  if (test.http) {
    const route = manifest.routes.find((one) => one.name === test.http?.route);
    const address = addressOf(container);
    if (route === undefined || address === undefined) return { ok: false, seen: `${name} has no address` };
    const limit = AbortSignal.timeout(tryMs);
    return await askRoute(address, route, test.http, signal ? AbortSignal.any([limit, signal]) : limit);
  }
  const once = { timeout_ms: tryMs, interval_ms: 0, start_period_ms: 0, retries: 1 };
  if (test.tcp) {
    const result = await probe(engine, container, { ...once, tcp: { port: test.tcp.port } });
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
