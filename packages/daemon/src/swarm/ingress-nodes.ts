import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { ingressNodes } from '@hortus/template/rollout/node-loss';
import type { Cluster, NodeFacts } from '../engine/cluster.ts';
import { REVISION_HOST } from './ingress-document.ts';
import { INGRESS_SERVICE } from './ingress-names.ts';

/** Asks the ingress of a node for the revision of its routes; undefined if it does not answer. */
export type AskNode = (address: string, port: number) => Promise<string | undefined>;

const ASK_MS = 2_000;
const POLL_EVERY_MS = 200;
const MAX_RESPONSE_LENGTH = 200;
/** Time for a running Caddy to load routes. A node that a firewall hides from this daemon costs no more. */
const LOAD_MS = 15_000;

/** While Caddy reloads, requests meet the old routes or the new ones; the old ones end with its `shutdown_delay`. */
const STEADY_MS = 1_500;

interface Waiting {
  cluster: Pick<Cluster, 'nodes' | 'tasks'>;
  ask: AskNode;
  port: number;
  revision: string;
  withinMs: number;
  progress(): void;
  signal: AbortSignal;
}

/**
 * Waits until every usable node of the ingress serves a revision. Returns a line for each that does not in time, with the
 * reason of the Swarm. Nodes that are lost or drained meanwhile are not waited for.
 */
export async function revisionServed(waiting: Waiting): Promise<string[]> {
  const { cluster, ask, port, revision, withinMs, progress, signal } = waiting;
  const served = new Set<string>();
  const servesSince = new Map<string, number>();
  const runsSince = new Map<string, number>();
  const end = performance.now() + withinMs;
  for (;;) {
    const usable = ingressNodes(await cluster.nodes()).filter(
      ({ state, availability }) => state === 'ready' && availability === 'active',
    );
    const missing = usable.filter(({ id }) => !served.has(id));
    const responses = await Promise.all(missing.map((node) => ask(reachable(node), port)));
    for (const [index, { id }] of missing.entries()) {
      const now = performance.now();
      if (responses[index] !== revision) servesSince.delete(id);
      else if (now - (servesSince.get(id) ?? now) < STEADY_MS) servesSince.set(id, servesSince.get(id) ?? now);
      else {
        served.add(id);
        progress();
      }
    }
    const left = missing.filter(({ id }) => !served.has(id));
    if (left.length === 0) return [];
    for (const { node, state } of await cluster.tasks({ service: INGRESS_SERVICE })) {
      if (state === 'running' && !runsSince.has(node)) runsSince.set(node, performance.now());
    }
    const isHopeless = ({ id }: NodeFacts) => performance.now() - (runsSince.get(id) ?? performance.now()) > LOAD_MS;
    if (performance.now() > end || left.every(isHopeless))
      return await Promise.all(left.map((node) => whyNot(waiting, node)));
    await sleep(POLL_EVERY_MS, undefined, { signal });
  }
}

/** Some engines give the address of their own node as 0.0.0.0. */
const reachable = ({ address }: NodeFacts): string => (address === '0.0.0.0' || address === '' ? '127.0.0.1' : address);

async function whyNot({ cluster, port }: Waiting, { id, name, address }: NodeFacts): Promise<string> {
  const tasks = await cluster.tasks({ service: INGRESS_SERVICE });
  const task = tasks.filter(({ node }) => node === id).sort((a, b) => b.createdAt - a.createdAt)[0];
  const reason = task?.error || `port ${port} of ${address} did not answer with the new routes`;
  return `The ingress of node ${name} does not serve the routes: ${reason}`;
}

export const askNode: AskNode = (host, port) =>
  new Promise((resolve) => {
    const giveUp = () => resolve(undefined);
    const asked = request({ host, port, path: '/', headers: { host: REVISION_HOST }, agent: false, timeout: ASK_MS });
    const onResponse = (response: IncomingMessage) => {
      let text = '';
      const add = (chunk: string) => {
        text += chunk;
        if (text.length <= MAX_RESPONSE_LENGTH) return;
        giveUp();
        asked.destroy();
      };
      const end = () => resolve(response.statusCode === 200 ? text : undefined);
      response.setEncoding('utf8').on('data', guardedBy(giveUp, add));
      response.on('end', guardedBy(giveUp, end));
      response.on('error', guardedBy(giveUp, giveUp));
      response.on('close', guardedBy(giveUp, giveUp));
    };
    const late = () => asked.destroy();
    asked.on('response', guardedBy(giveUp, onResponse));
    asked.on('timeout', guardedBy(giveUp, late));
    asked.on('error', guardedBy(giveUp, giveUp));
    asked.end();
  });
