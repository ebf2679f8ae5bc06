import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '@hortus/contract/runtime/backoff';
import type { XmlElement } from '@rgrove/parse-xml';
import { BucketProblem, isPassing, problemOf } from './bucket-problem.ts';
import { type Credentials, signed } from './signature.ts';
import { parseResponse } from './xml.ts';

export interface BucketSettings {
  /** Address of the service without the bucket: https://s3.eu-central-1.amazonaws.com */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** Whether the bucket is part of the path instead of the host name. */
  readonly pathStyle: boolean;
  readonly credentials: Credentials;
}

export interface BucketTimes {
  /** Longest silence of a connection. */
  readonly silenceMs: number;
  readonly firstPauseMs: number;
}

export interface Asked {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Object key; omitted for requests about the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface BucketResponse {
  readonly headers: IncomingMessage['headers'];
  /** Undefined if the body is not XML. */
  readonly root: XmlElement | undefined;
}

const ATTEMPTS = 5;
const MAX_PAUSE_MS = 60_000;
const standardTimes: BucketTimes = { silenceMs: 60_000, firstPauseMs: 200 };

/** Sends signed requests to an S3 bucket and retries temporary failures. */
export class Bucket {
  readonly #settings: BucketSettings;
  readonly #times: BucketTimes;

  constructor(settings: BucketSettings, times: Partial<BucketTimes> = {}) {
    this.#settings = settings;
    this.#times = { ...standardTimes, ...times };
  }

  /** Resolves with the headers and the parsed body. */
  async ask(asked: Asked): Promise<BucketResponse> {
    return await this.#persist(async () => {
      const response = await this.#send(asked);
      const text = (await buffer(response)).toString('utf8');
      // S3 reports some errors after status 200.
      const root = parseResponse(text);
      if (root?.name === 'Error') throw problemOf(500, text, this.#settings.bucket);
      return { headers: response.headers, root };
    });
  }

  /** Streams an object; resumes at the current offset after a lost connection. */
  async *read(key: string): AsyncGenerator<Buffer> {
    let at = 0;
    const open = () =>
      this.#persist(() => this.#send({ method: 'GET', key, ...(at > 0 && { headers: { range: `bytes=${at}-` } }) }));
    for (let lost = 0, response = await open(); ; response = await open()) {
      try {
        for await (const piece of response) {
          lost = 0;
          at += piece.length;
          yield piece as Buffer;
        }
        return;
      } catch (error) {
        if (++lost >= ATTEMPTS || !isPassing(error)) throw error;
      }
    }
  }

  async #persist<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let tried = 1; ; tried++) {
      try {
        return await attempt();
      } catch (error) {
        if (tried >= ATTEMPTS || !isPassing(error)) throw error;
        await sleep(backoffMs(tried, { firstMs: this.#times.firstPauseMs, maxMs: MAX_PAUSE_MS }));
      }
    }
  }

  /** Resolves with a successful response; its body is not read yet. */
  async #send({ method, key = '', query = {}, headers = {}, body = Buffer.alloc(0) }: Asked): Promise<IncomingMessage> {
    const { credentials, region, bucket } = this.#settings;
    const url = this.#address(key, query);
    const length: Record<string, string> = body.length > 0 ? { 'content-length': String(body.length) } : {};
    const all = await signed({ method, url, headers: { ...headers, ...length }, body }, { credentials, region });
    const response = await new Promise<IncomingMessage>((done, fail) => {
      const send = url.protocol === 'https:' ? secureRequest : plainRequest;
      const sent = send(url, { method, headers: all, timeout: this.#times.silenceMs });
      sent.on('timeout', () => sent.destroy(new BucketProblem('passing', `${url.host} does not respond.`)));
      sent.on('error', fail);
      sent.on('response', done);
      sent.end(body);
    });
    if (response.statusCode !== undefined && response.statusCode < 300) return response;
    throw problemOf(response.statusCode ?? 0, (await buffer(response)).toString('utf8'), bucket);
  }

  #address(key: string, query: Readonly<Record<string, string>>): URL {
    const { endpoint, bucket, pathStyle } = this.#settings;
    const url = new URL(endpoint);
    if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
    const path = pathStyle ? `/${bucket}/${key}` : `/${key}`;
    url.pathname = path.split('/').map(encodeURIComponent).join('/');
    url.search = String(new URLSearchParams(query));
    return url;
  }
}
