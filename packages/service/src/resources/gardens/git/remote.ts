import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import type { AddressGuard } from '../../../outbound/address-guard.ts';
import { invalid } from '../../../problem.ts';
import { type GitRequest, type GitResponse, send } from './http.ts';
import { packLimits } from './pack-check.ts';
import { DELIMITER, FLUSH, line, type Packet, packetsOf, textOf } from './pkt-line.ts';
import { Unreadable } from './unreadable.ts';

export interface Remote {
  readonly url: string;
  /** Sent only to the host of the url. */
  readonly login: { readonly username: string; readonly token: string } | undefined;
  readonly guard: AddressGuard;
  readonly signal: AbortSignal;
}

/** The protocol is two or three requests, so we speak it ourselves; the library would inflate the answer on the event loop. */
const VERSION = { 'Git-Protocol': 'version=2', 'User-Agent': 'hortus', 'Accept-Encoding': 'identity' };
const SERVICE = 'git-upload-pack';
const SHORT = { timeoutMs: 20_000, maxBytes: 1024 * 1024 };
const LONG = { timeoutMs: 120_000, maxBytes: packLimits.packBytes };
const MAX_REDIRECTS = 3;
/** Larger files are left out by servers that can do it: no garden and no template is that large. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;

/** A repository whose server was asked what it can do. */
export class Repository {
  readonly #remote: Remote;
  /** Address after redirects. */
  readonly #base: URL;
  readonly #features: ReadonlyMap<string, string>;

  private constructor(remote: Remote, base: URL, features: ReadonlyMap<string, string>) {
    this.#remote = remote;
    this.#base = base;
    this.#features = features;
  }

  /** Asks the server, and follows redirects on the same host, such as that of a renamed repository. */
  static async open(remote: Remote): Promise<Repository> {
    let base = new URL(withoutTrailing(remote.url, '/'));
    for (let redirects = 0; ; redirects++) {
      const url = below(base, 'info/refs');
      url.searchParams.set('service', SERVICE);
      const response = await send({ ...requestTo(remote, url), method: 'GET' });
      if (response.status < 300 || response.status >= 400) return new Repository(remote, base, featuresOf(response));
      if (redirects === MAX_REDIRECTS) throw new Unreadable('The repository redirects too often.');
      base = redirected(url, response);
    }
  }

  /** Returns the commit of a branch. */
  async head(branch: string): Promise<string> {
    const ref = `refs/heads/${branch}`;
    const packets = await this.#ask(`${this.#command('ls-refs')}${DELIMITER}${line(`ref-prefix ${ref}\n`)}${FLUSH}`);
    for (const packet of packets) {
      const [sha = '', name] = textOf(packet).split(' ');
      if (name === ref && /^[0-9a-f]{40}$/.test(sha)) return sha;
    }
    throw new Unreadable(`The repository has no branch ${branch}; push a commit to it, or follow another branch.`);
  }

  /** Fetches one commit without its history, as a pack. */
  async fetch(sha: string): Promise<Buffer> {
    const filters = this.#features.get('fetch')?.split(' ').includes('filter') ?? false;
    const wishes = [
      'no-progress\n',
      'ofs-delta\n',
      'deepen 1\n',
      ...(filters ? [`filter blob:limit=${MAX_FILE_BYTES}\n`] : []),
      `want ${sha}\n`,
      'done\n',
    ];
    const body = `${this.#command('fetch')}${DELIMITER}${wishes.map(line).join('')}${FLUSH}`;
    return packIn(await this.#ask(body, LONG));
  }

  #command(name: string): string {
    const format = this.#features.has('object-format') ? line('object-format=sha1\n') : '';
    return line(`command=${name}\n`) + format;
  }

  async #ask(body: string, limits = SHORT): Promise<readonly Packet[]> {
    const headers = { 'Content-Type': `application/x-${SERVICE}-request`, Accept: `application/x-${SERVICE}-result` };
    const request = requestTo(this.#remote, below(this.#base, SERVICE));
    const response = await send({
      ...request,
      ...limits,
      method: 'POST',
      headers: { ...request.headers, ...headers },
      body,
    });
    return packetsIn(response);
  }
}

function requestTo({ url: input, login, guard, signal }: Remote, url: URL): Omit<GitRequest, 'method'> {
  const mine = new URL(input).origin === url.origin;
  const authorization = login && mine ? { Authorization: basic(login) } : {};
  const tooLarge = () =>
    invalid('repository', 'sends more data than a garden may have; keep the garden in a smaller repository.', {
      reason: 'too_large',
    });
  return { url, headers: { ...VERSION, ...authorization }, guard, signal, tooLarge, ...SHORT };
}

const basic = ({ username, token }: NonNullable<Remote['login']>): string =>
  `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;

function below(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = `${withoutTrailing(base.pathname, '/')}/${path}`;
  return url;
}

/** Credentials and the address guard are bound to the host that the user named. */
function redirected(from: URL, { headers }: GitResponse): URL {
  const { location = '' } = headers;
  if (!URL.canParse(location, from)) throw new Unreadable('The repository redirects to no valid address.');
  const to = new URL(location, from);
  if (to.origin !== from.origin)
    throw new Unreadable(`The repository redirects to another host, ${to.host}; follow it at its own address.`);
  if (!to.pathname.endsWith('/info/refs')) throw new Unreadable('There is no Git repository at this address.');
  to.pathname = to.pathname.slice(0, -'/info/refs'.length);
  to.search = '';
  to.hash = '';
  return to;
}

/** Reads what the server can do; only version 2 of the protocol, which all forges speak, lists just one branch. */
function featuresOf(response: GitResponse): ReadonlyMap<string, string> {
  const lines = packetsIn(response).map(textOf);
  const start = lines.indexOf('version 2');
  if (start < 0) throw new Unreadable("The server does not speak version 2 of Git's protocol.");
  const features = new Map(
    lines.slice(start + 1).map((text) => {
      const [name = '', value = ''] = text.split(/=(.*)/s);
      return [name, value] as const;
    }),
  );
  const format = features.get('object-format') ?? 'sha1';
  if (format !== 'sha1') throw new Unreadable(`The repository uses ${format} for its object ids; use one with sha1.`);
  return features;
}

function packetsIn({ status, headers, body }: GitResponse): readonly Packet[] {
  if (status === 401 || status === 403)
    throw new Unreadable('The repository refuses access; set credentials with a token that may read it.');
  if (status === 404)
    throw new Unreadable('There is no repository at this address, or these credentials may not see it.');
  if (status !== 200) throw new Unreadable(`The host answered with status ${status}.`);
  if (!headers['content-type']?.startsWith(`application/x-${SERVICE}-`))
    throw new Unreadable('There is no Git repository at this address.');
  try {
    return [...packetsOf(body)];
  } catch {
    throw new Unreadable('The answer of the server is not valid in the protocol of Git.');
  }
}

const DATA = 1;
const FATAL = 3;

/** Joins the parts of the pack; the server multiplexes them with messages. */
function packIn(packets: readonly Packet[]): Buffer {
  const start = packets.findIndex((packet) => packet.length < 10 && textOf(packet) === 'packfile');
  if (start < 0) throw new Unreadable('The server refused to send the commit.');
  const parts: Buffer[] = [];
  for (const packet of packets.slice(start + 1)) {
    if (typeof packet === 'string') continue;
    if (packet[0] === FATAL) throw new Unreadable('The server could not send the commit.');
    if (packet[0] === DATA) parts.push(packet.subarray(1));
  }
  return Buffer.concat(parts);
}
