import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type GitLogin, type GitRepository, startGitServer } from '@hortus/testkit/git-server';

/** A commit status as Forgejo gets it. */
interface ReportedStatus {
  readonly sha: string;
  readonly token: string | undefined;
  readonly state: string;
  readonly context: string;
  readonly description: string;
}

export interface Forge extends AsyncDisposable {
  repository(name: string): Promise<GitRepository>;
  /** Paths of the requests of Git clients, in order of arrival. */
  readonly requests: readonly string[];
  readonly statuses: readonly ReportedStatus[];
}

/** A stand-in for Forgejo: real Git over HTTP, and the one call of its API that reports the status of a commit. */
export async function startForge(login: GitLogin): Promise<Forge> {
  await using opened = new AsyncDisposableStack();
  const git = opened.use(await startGitServer(login));
  const statuses: ReportedStatus[] = [];
  const server = createServer((incoming, response) => {
    const sha = /^\/api\/v1\/repos\/.+\/statuses\/([0-9a-f]+)$/.exec(incoming.url ?? '')?.[1];
    if (sha === undefined) forward(git.url, incoming, response);
    else
      void json(incoming).then((body) => {
        const token = incoming.headers.authorization;
        statuses.push({ sha, token, ...(body as Omit<ReportedStatus, 'sha' | 'token'>) });
        response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
      });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  opened.defer(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kept = opened.move();
  return {
    requests: git.requests,
    statuses,
    repository: async (name) => {
      const repository = await git.repository(name);
      return { ...repository, url: repository.url.replace(git.url, url) };
    },
    [Symbol.asyncDispose]: async () => await kept.disposeAsync(),
  };
}

function forward(to: string, incoming: IncomingMessage, reply: ServerResponse): void {
  const target = new URL(incoming.url ?? '/', to);
  const passed = request(target, { method: incoming.method ?? 'GET', headers: incoming.headers }, (response) => {
    reply.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(reply);
  });
  passed.on('error', () => reply.destroy());
  incoming.pipe(passed);
}

/** Sends the push webhook of Forgejo, signed with the secret, and returns the status of the answer. */
export async function sendPush(webhook: { url: string; secret: string }, branch: string): Promise<number> {
  const body = JSON.stringify({ ref: `refs/heads/${branch}`, commits: [] });
  const signature = createHmac('sha256', webhook.secret).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-forgejo-event': 'push',
    'x-forgejo-signature': signature,
  };
  return (await fetch(webhook.url, { method: 'POST', headers, body })).status;
}
