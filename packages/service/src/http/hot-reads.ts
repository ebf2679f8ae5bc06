import type { Permission } from '@hortus/contract/permissions';
import type { Principal } from '../identity/principal.ts';
import type { Metrics, Tally } from '../metrics.ts';
import type { Prepared } from './prepared.ts';

/** Inputs of hot answers, besides their URL. */
export interface HotSource {
  /** Changes whenever any hot answer may have changed. */
  version(): number | string;
  /** Callers with the same visibility share answers: '' for callers that see only public data. */
  visibility(principal: Principal): string;
}

export interface HotAnswer extends Omit<Prepared, 'body'> {
  /** The body as Latin-1 with one character per byte: Node then sends it in one write with its headers. */
  readonly bytes: string;
  readonly permission: Permission;
  /** Path of its route. */
  readonly path: string;
  readonly sent: Tally;
  readonly unchanged: Tally;
}

const MOST_BYTES = 32 * 1024 * 1024;
const LONGEST_URL = 512;

/** Private, because answers depend on the caller; the minute is published in the interface. */
export const CACHE_CONTROL = 'private, max-age=60';
export const VARY = 'Authorization, Cookie';

/** Caches prepared answers by URL and visibility. All belong to one version; bounded in bytes. */
export class HotReads {
  readonly #source: HotSource;
  readonly #metrics: Metrics;
  readonly #answers = new Map<string, Map<string, HotAnswer>>();
  #version: number | string;
  #bytes = 0;

  constructor(source: HotSource, metrics: Metrics) {
    this.#source = source;
    this.#metrics = metrics;
    this.#version = source.version();
  }

  get version(): number | string {
    const version = this.#source.version();
    if (version !== this.#version) {
      this.#answers.clear();
      this.#bytes = 0;
      this.#version = version;
    }
    return version;
  }

  at(url: string): ReadonlyMap<string, HotAnswer> | undefined {
    this.version;
    return this.#answers.get(url);
  }

  visibility(principal: Principal): string {
    return this.#source.visibility(principal);
  }

  /** Stores an answer that was computed at `version`, unless the version has changed since. */
  keep(
    request: { url: string; principal: Principal; version: number | string },
    answer: Prepared & { readonly endpoint: string; readonly path: string; readonly permission: Permission },
  ): void {
    if (request.version !== this.version || request.url.length > LONGEST_URL || answer.body.length > MOST_BYTES) return;
    const { body, type, etag, length, permission, endpoint, path } = answer;
    while (this.#bytes + body.length > MOST_BYTES) this.#forgetOldest();
    const byVisibility = this.#answers.get(request.url) ?? new Map<string, HotAnswer>();
    const visibility = this.#source.visibility(request.principal);
    this.#bytes += body.length - (byVisibility.get(visibility)?.bytes.length ?? 0);
    const [sent, unchanged] = [this.#metrics.tally(endpoint, 200), this.#metrics.tally(endpoint, 304)];
    const bytes = body.toString('latin1');
    byVisibility.set(visibility, { bytes, type, etag, length, permission, path, sent, unchanged });
    this.#answers.set(request.url, byVisibility);
  }

  #forgetOldest(): void {
    for (const [url, answers] of this.#answers) {
      this.#answers.delete(url);
      for (const { bytes } of answers.values()) this.#bytes -= bytes.length;
      return;
    }
  }
}
