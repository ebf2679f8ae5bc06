import type { Permission } from '@hortus/contract/permissions';
import { pageTokenHeader } from '@hortus/contract/protocol/page-token';
import type { Principal } from '../identity/principal.ts';
import type { Metrics, Tally } from '../process/metrics.ts';
import type { Encoding } from './accepted-encoding.ts';
import { type Compression, MIN_COMPRESSED_BYTES } from './compression.ts';
import type { Prepared } from './prepared.ts';

/** Inputs of hot answers, besides their URL. */
export interface HotSource {
  /** Changes whenever any hot answer may have changed. */
  version(): number | string;
  /** Callers with the same visibility share answers: '' for callers that see only public data. */
  visibility(principal: Principal): string;
}

export interface HotResponse extends Omit<Prepared, 'body'> {
  /** The body as Latin-1 with one character per byte: Node then sends it in one write with its headers. */
  readonly bytes: string;
  readonly permission: Permission;
  /** Path of its route. */
  readonly path: string;
  readonly sent: Tally;
  readonly unchanged: Tally;
  /** Whether every caller gets the same: private templates are not compressed beside those of others. */
  readonly isPublic: boolean;
  /** Compressed forms, made when a client first accepts them; null while one is made. */
  readonly encoded: Partial<Record<Encoding, EncodedBytes | null>>;
}

interface EncodedBytes {
  /** As `bytes` of the answer. */
  readonly bytes: string;
  readonly etag: string;
  readonly length: string;
}

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_URL_LENGTH = 512;

/** Private, because answers depend on the caller; the minute is published in the interface. */
export const CACHE_CONTROL = 'private, max-age=60';
export const VARY = `Authorization, Cookie, ${pageTokenHeader}, Accept-Encoding`;

/** Caches prepared answers by URL and visibility. All belong to one version; bounded in bytes. */
export class HotReads {
  readonly #source: HotSource;
  readonly #metrics: Metrics;
  readonly #responds = new Map<string, Map<string, HotResponse>>();
  #version: number | string;
  #bytes = 0;
  readonly #compression: Compression;

  constructor(source: HotSource, metrics: Metrics, compression: Compression) {
    this.#compression = compression;
    this.#source = source;
    this.#metrics = metrics;
    this.#version = source.version();
  }

  get version(): number | string {
    const version = this.#source.version();
    if (version !== this.#version) {
      this.#responds.clear();
      this.#bytes = 0;
      this.#version = version;
    }
    return version;
  }

  at(url: string): ReadonlyMap<string, HotResponse> | undefined {
    this.version;
    return this.#responds.get(url);
  }

  visibility(principal: Principal): string {
    return this.#source.visibility(principal);
  }

  /**
   * Stores an answer that was computed at `version`, unless the version has changed since. Returns it if it was stored.
   */
  keep(
    request: { url: string; principal: Principal; version: number | string },
    response: Prepared & { readonly endpoint: string; readonly path: string; readonly permission: Permission },
  ): HotResponse | undefined {
    if (request.version !== this.version || request.url.length > MAX_URL_LENGTH || response.body.length > MAX_BYTES)
      return undefined;
    const { body, type, etag, length, permission, endpoint, path } = response;
    while (this.#bytes + body.length > MAX_BYTES) this.#forgetOldest();
    const byVisibility = this.#responds.get(request.url) ?? new Map<string, HotResponse>();
    const visibility = this.#source.visibility(request.principal);
    this.#bytes += body.length - sizeOf(byVisibility.get(visibility));
    const [sent, unchanged] = [this.#metrics.tally(endpoint, 200), this.#metrics.tally(endpoint, 304)];
    const bytes = body.toString('latin1');
    const isPublic = visibility === '';
    const stored = { bytes, type, etag, length, permission, path, sent, unchanged, isPublic, encoded: {} };
    byVisibility.set(visibility, stored);
    this.#responds.set(request.url, byVisibility);
    return stored;
  }

  /** Makes the compressed form of a stored answer, if it has none; the next requests are answered with it. */
  async encode(response: HotResponse, encoding: Encoding): Promise<EncodedBytes | undefined> {
    if (!response.isPublic || response.encoded[encoding] !== undefined) return response.encoded[encoding] ?? undefined;
    response.encoded[encoding] = null;
    const body = Buffer.from(response.bytes, 'latin1');
    const made = await this.#compression.encode({ body, etag: response.etag }, encoding).catch(() => undefined);
    if (made === undefined) {
      // An answer that is too small stays null; one that met too many others is tried again.
      if (body.length >= MIN_COMPRESSED_BYTES) delete response.encoded[encoding];
      return undefined;
    }
    const encoded = { bytes: made.body.toString('latin1'), etag: made.etag, length: String(made.body.length) };
    // It may have been forgotten meanwhile, and is not counted then.
    if (this.#has(response)) this.#bytes += encoded.bytes.length;
    response.encoded[encoding] = encoded;
    return encoded;
  }

  #has(response: HotResponse): boolean {
    for (const responses of this.#responds.values()) if (responses.get('') === response) return true;
    return false;
  }

  #forgetOldest(): void {
    for (const [url, responses] of this.#responds) {
      this.#responds.delete(url);
      for (const response of responses.values()) this.#bytes -= sizeOf(response);
      return;
    }
  }
}

/** Bytes of an answer in all of its forms. */
function sizeOf(response: HotResponse | undefined): number {
  if (!response) return 0;
  const encoded = Object.values(response.encoded).reduce((sum, form) => sum + (form?.bytes.length ?? 0), 0);
  return response.bytes.length + encoded;
}
