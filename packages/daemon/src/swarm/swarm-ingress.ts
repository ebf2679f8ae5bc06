import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseImage } from '@hortus/template/notation/image-reference';
import { unroutable } from '@hortus/template/rollout/node-loss';
import { Serial } from '../concurrency/turns.ts';
import type { Cluster, MountedSecret, ServiceSpec } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import type { ClusterRoutes, InstanceRule, Leading } from '../ingress/cluster-routes.ts';
import type { Log } from '../log.ts';
import { label } from '../plan/labels.ts';
import type { RouteRule } from '../plan/routes.ts';
import { fetchImage } from '../pull/fetch-image.ts';
import { requireFree } from '../rollout/failure.ts';
import { converge } from './convergence.ts';
import { type IngressDocument, type IngressPortNumbers, ingressDocument, initialDocument } from './ingress-document.ts';
import { INGRESS_PART } from './ingress-names.ts';
import { type AskNode, askNode, revisionServed } from './ingress-nodes.ts';
import { ingressNetworks, ingressService, partLabels, sourceService } from './ingress-services.ts';
import { MAX_FILE_BYTES, NotOnSwarm } from './limitations.ts';
import { pinnedImage } from './pinned-image.ts';
import { readRoutes, takenIn, writeRoutes } from './route-records.ts';

export interface SwarmIngressOptions extends IngressPortNumbers {
  cluster: Cluster;
  engine: Engine;
  /** Image of Caddy. */
  image: string;
  serverId(): string;
  /** Whether this daemon leads the cluster. */
  leads(): boolean;
  log: Log;
  ask?: AskNode;
  /** Interval of regular checks. */
  everyMs?: number;
  /** Time for nodes to pull Caddy and load the routes. */
  timeoutMs?: number;
}

const POLL_EVERY_MS = 30_000;
const TIMEOUT_MS = 120_000;

/**
 * Serves the routes of a Swarm with Caddy on every labelled node. The nodes fetch one document from a small service: a change
 * of routes restarts no Caddy, and a rollout does not even change the document.
 */
export class SwarmIngress implements ClusterRoutes {
  readonly #options: SwarmIngressOptions;
  readonly #stopped = new AbortController();
  /** Serialises changes. */
  readonly #queue = new Serial();
  #supervising: Promise<void> = Promise.resolve();
  /** What the log said last about labels of nodes. */
  #complained = '';

  constructor(options: SwarmIngressOptions) {
    this.#options = options;
  }

  get version(): string {
    return (parseImage(this.#options.image).tag ?? 'unknown').slice(0, 64);
  }

  all(): Promise<InstanceRule[]> {
    return readRoutes(this.#options.cluster);
  }

  requireRoom(rules: readonly InstanceRule[]): void {
    this.#document(rules);
  }

  /** False after a daemon was killed between the record of the routes and the document for the nodes. */
  async isCurrent(rules: readonly InstanceRule[]): Promise<boolean> {
    if (rules.length === 0) return true;
    const { image, serverId } = this.#options;
    const { text } = this.#document(rules);
    const wanted = sourceService({ serverId: serverId(), image, file: { id: '', name: documentName(text) } });
    const found = (await this.#services()).find(({ name }) => name === wanted.container.name);
    return found?.labels[label.config] === wanted.labels[label.config] && found?.update?.state !== 'updating';
  }

  async ensureNetwork(): Promise<void> {
    const { cluster, serverId } = this.#options;
    for (const network of ingressNetworks(serverId())) await cluster.ensureNetwork(network);
  }

  async lead(uid: string, rules: readonly RouteRule[], leading: Leading): Promise<void> {
    const { cluster, httpPort, ask = askNode, timeoutMs = TIMEOUT_MS } = this.#options;
    const { say, progress, signal } = leading;
    const revision = await this.#queue.run(async () => {
      const before = await this.all();
      requireFree({ taken: (own, wanted) => takenIn(before, own, wanted) }, uid, rules);
      await writeRoutes(cluster, uid, leading.own, rules);
      try {
        return await this.#assert(leading);
      } catch (error) {
        // Caddy rejected the routes; the next change must not fail for them.
        const former = before.filter(({ instanceUid }) => instanceUid === uid);
        await writeRoutes(cluster, uid, leading.own, former.map(withoutInstance));
        throw error;
      }
    });
    if (revision === undefined) return;
    const waiting = { cluster, ask, port: httpPort, revision, withinMs: timeoutMs, progress, signal };
    for (const line of await revisionServed(waiting)) say('warn', line);
  }

  async unroute(uid: string): Promise<void> {
    const { cluster, log } = this.#options;
    await this.#queue.run(async () => {
      const isRouted = (await this.all()).some(({ instanceUid }) => instanceUid === uid);
      if (!isRouted) return;
      await writeRoutes(cluster, uid, {}, []);
      // The regular check tries again; the instance is gone already.
      const failed = (error: Error) =>
        log.warn({ err: error }, 'the nodes still have the routes of a released instance');
      await this.#assert(this.#quietly()).catch(failed);
    });
  }

  start(): void {
    this.#supervising = this.#supervise();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#queue.ended();
    await this.#supervising;
  }

  /** Reconciles the services with the routes. Returns the revision of the routes; undefined without any. */
  async #assert(leading: Omit<Leading, 'own'>): Promise<string | undefined> {
    const { cluster, image, serverId, httpPort, httpsPort } = this.#options;
    const ports = { httpPort, httpsPort };
    const rules = await this.all();
    if (rules.length === 0) {
      // Without routes Caddy would only occupy the ports. The networks stay: they cost nothing, and tasks may still leave them.
      for (const { id } of await this.#services()) await cluster.removeService(id);
      await this.#removeUnused();
      return undefined;
    }
    const { text, revision } = this.#document(rules);
    await this.ensureNetwork();
    const part = { serverId: serverId(), image };
    const source = sourceService({ ...part, file: await this.#stored(text) });
    const initial = await this.#stored(JSON.stringify(initialDocument()));
    const ingress = ingressService({ ...part, ...ports, file: initial });
    const changed = await this.#apply(source, leading);
    if (changed !== undefined) await this.#settled(changed, source, leading);
    await this.#apply(ingress, leading);
    await this.#removeUnused();
    return revision;
  }

  #document(rules: readonly InstanceRule[]): IngressDocument {
    const { httpPort, httpsPort } = this.#options;
    const document = ingressDocument(rules, { httpPort, httpsPort });
    const bytes = Buffer.byteLength(document.text);
    if (bytes <= MAX_FILE_BYTES) return document;
    throw new NotOnSwarm(
      `The ${rules.length} routes of the cluster need ${bytes} bytes, and a secret of the Swarm has at most ${MAX_FILE_BYTES}; remove routes, or use another cluster`,
    );
  }

  /** Creates or updates a service unless it is as wanted. */
  async #apply(spec: ServiceSpec, { say, progress, signal }: Omit<Leading, 'own'>): Promise<Changed | undefined> {
    const { cluster, engine, image } = this.#options;
    const found = (await this.#services()).find(({ name }) => name === spec.container.name);
    const isSame = found?.labels[label.config] === spec.labels[label.config];
    if (isSame && found?.update?.state !== 'updating') return undefined;
    if (isSame && found) return { id: found.id, isUpdate: true };
    await fetchImage(image, { engine, logins: [], renew: false, signal, progress, say });
    const pinned = { ...spec, container: { ...spec.container, image: await pinnedImage(engine, image) } };
    if (found) await cluster.updateService(found.id, pinned);
    return { id: found?.id ?? (await cluster.createService(pinned)), isUpdate: found !== undefined };
  }

  async #settled({ id, isUpdate }: Changed, spec: ServiceSpec, leading: Omit<Leading, 'own'>): Promise<void> {
    const nodes = await this.#options.cluster.nodes();
    await converge({
      cluster: this.#options.cluster,
      service: id,
      component: 'the ingress',
      config: spec.labels[label.config] ?? '',
      replicas: 1,
      isUpdate,
      hasHistory: isUpdate,
      hasCheck: true,
      nodeName: (node) => nodes.find((item) => item.id === node)?.name ?? node,
      ...leading,
    });
  }

  /** Named by its content, so that the same document is stored once. */
  async #stored(text: string): Promise<Pick<MountedSecret, 'id' | 'name'>> {
    const { cluster, serverId } = this.#options;
    const name = documentName(text);
    const find = async () => (await this.#documents()).find((document) => document.name === name);
    const found = await find();
    if (found) return { id: found.id, name };
    try {
      const labels = partLabels(serverId(), 'document');
      return { id: await cluster.createContent('secrets', { name, labels, data: Buffer.from(text) }), name };
    } catch (error) {
      const other = isEngineProblem(error, 'conflict') ? await find() : undefined;
      if (other === undefined) throw error;
      return { id: other.id, name };
    }
  }

  /** Removes documents that neither a service nor its former specification uses. */
  async #removeUnused(): Promise<void> {
    const used = new Set((await this.#services()).flatMap(({ secrets }) => secrets));
    for (const { id } of await this.#documents())
      if (!used.has(id)) await this.#options.cluster.removeContent('secrets', id);
  }

  #services() {
    return this.#options.cluster.services({ labels: { [INGRESS_PART]: 'service' } });
  }

  #documents() {
    return this.#options.cluster.contents('secrets', { labels: { [INGRESS_PART]: 'document' } });
  }

  /** Limited in time, because other changes wait meanwhile. */
  #quietly(): Omit<Leading, 'own'> {
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    return { say: () => undefined, progress: () => undefined, signal };
  }

  /** Logs once what labels of nodes that were changed after a deployment mean for its routes. */
  async #complain(): Promise<void> {
    const { cluster, log } = this.#options;
    const [rules, nodes] = await Promise.all([this.all(), cluster.nodes()]);
    const lines = rules.flatMap((rule) =>
      unroutable({ routes: [rule], components: [] }, nodes).map((line) => `instance ${rule.instanceUid}, ${line}`),
    );
    const text = lines.join('\n');
    if (text !== this.#complained)
      for (const line of lines) log.warn({ reason: line }, 'a route is not served as it should be');
    this.#complained = text;
  }

  /** Completes what a killed daemon began, and restores services that were removed by hand. */
  async #supervise(): Promise<void> {
    const { signal } = this.#stopped;
    const { everyMs = POLL_EVERY_MS, leads, log } = this.#options;
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted || !leads()) continue;
      await this.#complain().catch(() => undefined);
      const failed = (error: Error) =>
        signal.aborted || log.warn({ err: error }, 'the routes of the Swarm are not served');
      await this.#queue.run(() => this.#assert(this.#quietly())).catch(failed);
    }
  }
}

const documentName = (text: string): string =>
  `hortus-ingress-${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;

interface Changed {
  id: string;
  isUpdate: boolean;
}

const withoutInstance = ({ instanceUid: _, ...rule }: InstanceRule): RouteRule => rule;
