import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);

export interface GitLogin {
  readonly username: string;
  readonly token: string;
}

/** Content of a file; null removes it, `{ link }` is a symbolic link. */
type GitFile = string | Uint8Array | null | { readonly link: string };

export interface GitRepository {
  /** Address by HTTP. */
  readonly url: string;
  /** Commits files on top of the branch and returns the id of the commit. */
  commit(files: Readonly<Record<string, GitFile>>, message?: string): Promise<string>;
  /** Runs git in the repository; `input` is written to its standard input. */
  git(args: readonly string[], input?: string): Promise<string>;
}

interface ApiRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

export type GitServer = AsyncDisposable & {
  readonly url: string;
  /** Paths of the requests for repositories, in order of arrival. */
  readonly requests: readonly string[];
  /** Requests to `/api/`, in order of arrival: a stand-in for the API of a forge that accepts them all. */
  readonly apiRequests: readonly ApiRequest[];
  /** Status of the answers of the API; initially 201. */
  apiStatus: number;
  /** Creates an empty repository. */
  repository(name: string): Promise<GitRepository>;
  stop(): Promise<void>;
};

/** Independent of the configuration of the machine. */
const environment = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

/** Serves repositories with `git http-backend` on 127.0.0.1; with `login` only to who gives it. */
export async function startGitServer(login?: GitLogin): Promise<GitServer> {
  const folder = temporaryFolder('git', { inMemory: true });
  const requests: string[] = [];
  const apiRequests: ApiRequest[] = [];
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/api/')) return void record(request, response);
    requests.push(request.url ?? '');
    if (login && request.headers.authorization !== basic(login)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    serve(folder.path, request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // A server that tests share must not keep their process alive.
  server.unref();
  const record = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url: path = '', headers } = request;
    apiRequests.push({ path, headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    response.writeHead(started.apiStatus).end('{}');
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
    await folder.remove();
  };
  const started: GitServer = {
    url,
    requests,
    apiRequests,
    apiStatus: 201,
    repository: (name) => createRepository(folder.path, url, name),
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return started;
}

const basic = ({ username, token }: GitLogin) => `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;

async function createRepository(root: string, url: string, name: string): Promise<GitRepository> {
  const work = join(root, 'work', name);
  await mkdir(work, { recursive: true });
  await mkdir(dirname(join(root, name)), { recursive: true });
  const git = async (args: readonly string[], input?: string): Promise<string> => {
    const running = run('git', [...args], { cwd: work, env: environment, maxBuffer: 64 * 1024 * 1024 });
    if (input !== undefined) running.child.stdin?.end(input);
    return (await running).stdout.trim();
  };
  await git(['init', '--quiet', '--initial-branch=main', `--separate-git-dir=${join(root, `${name}.git`)}`]);
  return {
    url: `${url}/${name}.git`,
    git,
    commit: async (files, message = 'Change the garden') => {
      for (const [path, content] of Object.entries(files)) await put(join(work, path), content);
      await git(['add', '--all']);
      await git(['commit', '--quiet', '--allow-empty', '--message', message]);
      return await git(['rev-parse', 'HEAD']);
    },
  };
}

async function put(path: string, content: GitFile): Promise<void> {
  await rm(path, { recursive: true, force: true });
  if (content === null) return;
  await mkdir(dirname(path), { recursive: true });
  if (typeof content === 'object' && 'link' in content) return await symlink(content.link, path);
  await writeFile(path, content);
  await chmod(path, 0o644);
}

/** Runs git's own CGI program for one request. */
function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...environment,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const failed = () => response.destroy();
  backend.on('error', failed);
  // A client that leaves early closes both ends.
  backend.stdin.on('error', () => {});
  response.on('close', () => backend.kill());
  request.pipe(backend.stdin);
  let head = Buffer.alloc(0);
  let begun = false;
  backend.stdout.on('data', (chunk: Buffer) => {
    if (begun) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    begun = true;
    const headers = head
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((text) => text.split(/: (.*)/s) as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    response.writeHead(
      Number.parseInt(status, 10),
      Object.fromEntries(headers.filter(([name]) => name !== 'Status').map(([name, value]) => [name, value])),
    );
    response.write(head.subarray(end + 4));
  });
  backend.stdout.on('end', () => response.end());
}
