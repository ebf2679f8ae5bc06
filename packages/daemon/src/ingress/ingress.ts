import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type IngressPorts, STANDARD_PORTS } from '@hortus/template/resolution/route-address';
import { Backoff } from '../concurrency/backoff.ts';
import { Serial } from '../concurrency/turns.ts';
import type { Routes } from '../journal/routes.ts';
import type { ServedRoute } from '../journal/served-route.ts';
import type { Log } from '../log.ts';
import { wayOf } from '../plan/routes.ts';
import { CaddyAdmin, CaddyRefusal } from './caddy-admin.ts';
import { caddyDocument, type DocumentSettings, emptyDocument } from './caddy-document.ts';
import { CaddyProcess, caddyVersion, findCaddy } from './caddy-process.ts';
import type { ClusterRoutes } from './cluster-routes.ts';
import { UpstreamFiles } from './upstream-files.ts';

export interface IngressSettings {
  /** `off`, or the program; searched in PATH by default. */
  caddy: string | undefined;
  httpPort: number;
  httpsPort: number;
}

export interface IngressOptions extends IngressSettings {
  directory: string;
  routes: Routes;
  log: Log;
  /** Routes of the cluster that this daemon drives; undefined on a plain server. */
  cluster?: ClusterRoutes | undefined;
  /** Interval of regular checks of Caddy. */
  everyMs?: number;
}

/**
 * Serves routes with its own Caddy: one document lists the routes, files name their targets. The journal holds the
 * desired state; Caddy and the files are repeatedly reconciled with it.
 */
export class Ingress {
  readonly #options: IngressOptions;
  readonly #settings: DocumentSettings;
  readonly #files: UpstreamFiles;
  readonly #admin: CaddyAdmin;
  readonly #caddy: CaddyProcess;
  readonly #stopped = new AbortController();
  /** Serialises changes. */
  readonly #queue = new Serial();
  #supervising: Promise<void> = Promise.resolve();
  #trouble: string | undefined;
  #version: { readonly changed: number | undefined; readonly text: string } | undefined;
  /** Permanent reason why routes cannot be served. */
  readonly #impossible: string | undefined;

  constructor(options: IngressOptions) {
    const { directory, httpPort, httpsPort } = options;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#options = options;
    this.#files = new UpstreamFiles(join(directory, 'upstreams'));
    this.#settings = {
      storage: join(directory, 'storage'),
      log: join(directory, 'caddy.log'),
      upstreams: this.#files.root,
      httpPort,
      httpsPort,
    };
    const binary = findCaddy(options.caddy);
    this.#admin = new CaddyAdmin(directory);
    this.#caddy = new CaddyProcess({ binary, directory, admin: this.#admin, empty: emptyDocument(this.#settings) });
    if (options.caddy === 'off') this.#impossible = 'the ingress of this server is disabled';
    else if (binary === undefined) this.#impossible = 'Caddy is not installed on this server';
  }

  /** Serves the routes of a cluster instead of those of this server. */
  get cluster(): ClusterRoutes | undefined {
    return this.#options.cluster;
  }

  /** Supervises Caddy until `stop`. */
  start(): void {
    if (this.cluster) this.cluster.start();
    else this.#supervising = this.#supervise();
  }

  /** Stops the supervision; Caddy keeps running. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.cluster?.stop();
    await this.#queue.ended();
    await this.#supervising;
    this.#admin.close();
  }

  /** Why routes are not served at the moment; undefined if they are, or if there are none. */
  get trouble(): string | undefined {
    return this.#impossible ?? this.#trouble;
  }

  /** Ports, if they are not the standard ones. */
  get ports(): IngressPorts | undefined {
    const ports = { http: this.#settings.httpPort, https: this.#settings.httpsPort };
    return isDeepStrictEqual(ports, STANDARD_PORTS) ? undefined : ports;
  }

  /** Describes the ingress briefly for the server record. */
  async about(): Promise<string> {
    const { caddy } = this.#options;
    if (this.cluster) return `caddy ${this.cluster.version} on nodes of the Swarm`;
    if (this.#impossible !== undefined) return `none: ${this.#impossible}`;
    const version = await caddyVersion(findCaddy(caddy) ?? 'caddy');
    return this.#trouble === undefined ? `caddy ${version}` : `caddy ${version}: ${this.#trouble}`.slice(0, 200);
  }

  /** Throws if a Caddy of this server runs but does not respond to this daemon. */
  async requireControl(): Promise<void> {
    if (this.#caddy.isRunning() && !(await this.#admin.responds())) throw new Error('Caddy does not respond');
  }

  /** Version of the Caddy that serves routes, or would; undefined if none can. */
  async version(): Promise<string | undefined> {
    if (this.cluster) return this.cluster.version;
    const binary = findCaddy(this.#options.caddy);
    if (this.#impossible !== undefined || binary === undefined) return undefined;
    // Cached: called every 30 seconds, which must not start a process each time.
    const changed = statSync(binary, { throwIfNoEntry: false })?.mtimeMs;
    if (this.#version?.changed !== changed) this.#version = { changed, text: await caddyVersion(binary) };
    return this.#version?.text;
  }

  routesOf(instanceUid: string): ServedRoute[] {
    return this.#options.routes.of(instanceUid);
  }

  /** Finds another instance that already has one of these routes. */
  taken(instanceUid: string, routes: readonly Pick<ServedRoute, 'host' | 'path'>[]) {
    const wanted = new Set(routes.map(wayOf));
    return this.#options.routes.all().find((route) => route.instanceUid !== instanceUid && wanted.has(wayOf(route)));
  }

  /** Removes the routes of an instance. */
  async unroute(instanceUid: string): Promise<void> {
    if (this.cluster) return await this.cluster.unroute(instanceUid);
    if (this.routesOf(instanceUid).length > 0) await this.lead(instanceUid, []);
  }

  /**
   * Replaces the routes of an instance. Returns once no request can reach former targets. If Caddy is not available,
   * stores the routes for later, and `trouble` says why.
   */
  async lead(instanceUid: string, routes: readonly ServedRoute[]): Promise<void> {
    this.#options.routes.keep(instanceUid, routes);
    await this.#queue.run(async () => {
      for (const route of routes) await this.#files.lead({ ...route, instanceUid });
      await this.#assert();
    });
  }

  /** Reconciles Caddy with the journal. */
  async assert(): Promise<void> {
    await this.#queue.run(async () => {
      for (const route of this.#options.routes.all()) await this.#files.lead(route);
      await this.#assert();
    });
  }

  async #assert(): Promise<void> {
    const routes = this.#options.routes.all();
    if (routes.length === 0) {
      // Without routes Caddy would only occupy the ports.
      await this.#caddy.end();
      return this.#files.clear();
    }
    if (this.#impossible !== undefined) return;
    try {
      const found = await this.#caddy.ensure(this.#stopped.signal);
      if (found === 'started') this.#options.log.info('started Caddy');
      await this.#admin.load(caddyDocument(routes, this.#settings));
      await this.#files.tidy(routes);
      this.#say(undefined);
    } catch (error) {
      if (this.#stopped.signal.aborted) throw error;
      const said =
        error instanceof CaddyRefusal ? `Caddy rejected the configuration: ${error.message}` : (error as Error).message;
      this.#say(said);
    }
  }

  #say(trouble: string | undefined): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    if (trouble === undefined) this.#options.log.info('the routes of this server are served');
    else this.#options.log.warn({ reason: trouble }, 'the routes of this server cannot be served');
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#stopped;
    const { everyMs = 30_000, routes } = this.#options;
    const backoff = new Backoff({ firstMs: 200, maxMs: 30_000 });
    let asserted = 0;
    while (!signal.aborted) {
      try {
        const isDue = performance.now() - asserted >= everyMs || asserted === 0;
        const isTroubled = this.#trouble !== undefined || !(await this.#admin.responds());
        if (isDue || (isTroubled && routes.all().length > 0)) {
          await this.assert();
          asserted = performance.now();
        }
      } catch (error) {
        if (!signal.aborted) this.#say((error as Error).message);
      }
      if (this.#trouble === undefined) backoff.reset();
      const pause = this.#trouble === undefined ? POLL_EVERY_MS : backoff.next();
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Interval at which a dead Caddy is noticed. */
const POLL_EVERY_MS = 500;
