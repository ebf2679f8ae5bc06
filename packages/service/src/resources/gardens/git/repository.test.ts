import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type GitServer, startGitServer } from '@hortus/testkit/git-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AddressGuard } from '../../../outbound/address-guard.ts';
import { READ_REPOSITORY } from './read-repository.ts';
import { type Remote, Repository } from './remote.ts';

let server: GitServer;
const others: Server[] = [];
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(async () => {
  await server.stop();
  for (const other of others) other.close();
});

const remote = (url: string, more: Partial<Remote> = {}): Remote => ({
  url,
  login: undefined,
  guard: new AddressGuard({ allowPrivate: true }),
  signal: new AbortController().signal,
  ...more,
});

async function listen(listener: RequestListener): Promise<string> {
  const other = createServer(listener);
  others.push(other);
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
}

async function read(url: string, path = 'garden.yaml', branch = 'main') {
  const repository = await Repository.open(remote(url));
  const sha = await repository.head(branch);
  return READ_REPOSITORY.run(new Uint8Array(await repository.fetch(sha)), sha, path);
}

let number = 0;
const newRepository = () => server.repository(`repository-${++number}`);

const template = 'name: shop\n';
const garden = 'name: home\ntemplates: [templates/shop.yaml]\n';

describe('a repository', () => {
  it('is read at the newest commit of its branch, with the templates that the garden names', async () => {
    const repository = await newRepository();
    for (let commit = 0; commit < 30; commit++) await repository.commit({ [`notes/${commit}.txt`]: `${commit}\n` });
    const files = { 'site/garden.yaml': garden, 'site/templates/shop.yaml': template, 'site/other.yaml': 'no\n' };
    const sha = await repository.commit(files, 'Add the shop\n\nBecause.');
    await repository.git(['gc', '--quiet']);
    const found = await Repository.open(remote(repository.url));
    expect(await found.head('main')).toBe(sha);
    expect(await read(repository.url, 'site/garden.yaml')).toMatchObject({
      commit: { subject: 'Add the shop', author: 'Ada', committedAt: expect.any(Number) },
      files: {
        garden: { name: 'home', templates: ['templates/shop.yaml'] },
        templates: [{ path: 'templates/shop.yaml', source: template }],
      },
      problems: [],
    });
  });

  it('with deltas is read as git reads it', async () => {
    const repository = await newRepository();
    const lines = Array.from({ length: 3_000 }, (_, index) => `# line ${index} ${Math.sin(index)}`);
    for (let commit = 0; commit < 20; commit++)
      await repository.commit({
        [`copy-${commit}.txt`]: lines.with(commit * 7, 'changed').join('\n'),
        'garden.yaml': `name: home-${commit}\n${lines.join('\n')}\n`,
      });
    await repository.git(['repack', '-adfq', '--depth=50']);
    expect((await read(repository.url)).files).toMatchObject({ garden: { name: 'home-19' } });
  });

  it('is fetched with its credentials, and refused without them', async () => {
    const login = { username: 'ada', token: 'a-token' };
    await using locked = await startGitServer(login);
    const repository = await locked.repository('secret');
    const sha = await repository.commit({ 'garden.yaml': 'name: home\n' });
    const opened = await Repository.open(remote(repository.url, { login }));
    expect(await opened.head('main')).toBe(sha);
    for (const wrong of [undefined, { ...login, token: 'another' }])
      await expect(Repository.open(remote(repository.url, { login: wrong }))).rejects.toThrow('refuses access');
  });

  it('that is empty, has no such branch or does not exist is described', async () => {
    const repository = await newRepository();
    const opened = await Repository.open(remote(repository.url));
    await expect(opened.head('main')).rejects.toThrow('has no branch main');
    await repository.commit({ 'garden.yaml': 'name: home\n' });
    await expect(opened.head('mai')).rejects.toThrow('has no branch mai;');
    await expect(Repository.open(remote(`${server.url}/none.git`))).rejects.toThrow('There is no repository');
  });

  it('at an address that answers something else is described', async () => {
    const html = await listen((_, response) => response.end('<html>Welcome</html>'));
    await expect(Repository.open(remote(html))).rejects.toThrow('There is no Git repository');
    const type = { 'content-type': 'application/x-git-upload-pack-advertisement' };
    const garbage = await listen((_, response) => response.writeHead(200, type).end('zzzz'));
    await expect(Repository.open(remote(garbage))).rejects.toThrow('not valid in the protocol');
    const old = await listen((_, response) => response.writeHead(200, type).end('001e# service=git-upload-pack\n0000'));
    await expect(Repository.open(remote(old))).rejects.toThrow('version 2');
  });

  it('that redirects on its own host is followed, and to another host never', async () => {
    const repository = await newRepository();
    const sha = await repository.commit({ 'garden.yaml': 'name: home\n' });
    const seen: (string | undefined)[] = [];
    const other = await listen((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(404).end();
    });
    const away = await listen((request, response) =>
      response.writeHead(302, { location: `${other}${request.url}` }).end(),
    );
    const login = { username: 'ada', token: 'a-token' };
    await expect(Repository.open(remote(`${away}/x.git`, { login }))).rejects.toThrow('redirects to another host');
    expect(seen).toEqual([]);
    const endless = await listen((request, response) => response.writeHead(301, { location: request.url }).end());
    await expect(Repository.open(remote(`${endless}/x.git`))).rejects.toThrow('too often');

    const { pathname } = new URL(repository.url);
    const proxy = await listen(async (request, response) => {
      const target = request.url?.replace('/old', pathname) ?? '';
      if (request.url?.startsWith('/old')) return void response.writeHead(301, { location: target }).end();
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = { ...(request.headers as Record<string, string>), host: '', connection: 'close' };
      const body = request.method === 'POST' ? Buffer.concat(chunks) : null;
      const reply = await fetch(server.url + request.url, { method: request.method ?? 'GET', headers, body });
      const type = reply.headers.get('content-type') ?? '';
      response.writeHead(reply.status, { 'content-type': type }).end(Buffer.from(await reply.arrayBuffer()));
    });
    const moved = await Repository.open(remote(`${proxy}/old`));
    expect(await moved.head('main')).toBe(sha);
  });

  it('on a private address is refused unless that is allowed', async () => {
    const repository = await newRepository();
    const guard = new AddressGuard({ allowPrivate: false });
    await expect(Repository.open(remote(repository.url, { guard }))).rejects.toThrow('is not public');
  });

  it('whose server never ends its response is given up at the limit of bytes', async () => {
    const type = { 'content-type': 'application/x-git-upload-pack-advertisement' };
    const endless = await listen((request, response) => {
      response.writeHead(200, type);
      const more = () => {
        while (!response.destroyed && response.write('0'.repeat(65_536)));
      };
      response.on('drain', more);
      request.on('error', () => {});
      more();
    });
    await expect(Repository.open(remote(endless))).rejects.toThrow('sends more data');
  });
});

describe('a hostile repository', () => {
  const problemOf = async (files: Record<string, Parameters<GitFiles>[0][string]>, path?: string) => {
    const repository = await newRepository();
    await repository.commit(files);
    const { files: found, problems } = await read(repository.url, path);
    expect(found).toBeNull();
    return problems[0];
  };
  type GitFiles = Awaited<ReturnType<GitServer['repository']>>['commit'];

  it('cannot lead out of itself by symbolic links', async () => {
    const link = { link: '/etc/passwd' };
    expect(await problemOf({ 'garden.yaml': link })).toEqual({
      field: 'garden.yaml',
      message: 'is a symbolic link; put the file itself there',
    });
    expect(await problemOf({ 'garden.yaml': garden, 'templates/shop.yaml': link })).toMatchObject({
      field: 'templates/shop.yaml',
      message: expect.stringContaining('symbolic link'),
    });
    expect(await problemOf({ 'garden.yaml': garden, templates: { link: '/etc' } })).toMatchObject({
      field: 'templates',
      message: expect.stringContaining('symbolic link'),
    });
  });

  it('cannot lead out of itself by paths', async () => {
    for (const path of ['../../etc/passwd', '/etc/passwd', 'a/../../b.yaml'])
      expect(await problemOf({ 'garden.yaml': `name: home\ntemplates: ["${path}"]\n` })).toMatchObject({
        field: 'templates',
        message: expect.stringContaining(path),
      });
  });

  it('has its submodules and hooks ignored', async () => {
    const repository = await newRepository();
    const sha = await repository.commit({ 'garden.yaml': garden });
    await repository.git(['update-index', '--add', '--cacheinfo', `160000,${sha},templates`]);
    await repository.git(['commit', '--quiet', '--message', 'A submodule']);
    const { problems } = await read(repository.url);
    expect(problems[0]).toMatchObject({ field: 'templates', message: expect.stringContaining('submodule') });
    expect(await problemOf({ 'garden.yaml': garden, '.gitmodules': '[submodule "x"]\n\turl = /etc\n' })).toMatchObject({
      field: 'templates/shop.yaml',
      message: 'is not in the repository',
    });
  });

  it('with a huge file is refused, whatever it compresses to', async () => {
    const repository = await newRepository();
    await repository.commit({ 'garden.yaml': 'name: home\n', 'bomb.bin': Buffer.alloc(64 * 1024 * 1024) });
    await expect(read(repository.url)).rejects.toThrow(/repository: has an object of 67108864 bytes/);
  });

  it('with a garden that is too large is a problem of the file', async () => {
    expect(await problemOf({ 'garden.yaml': `name: home\n${'#'.repeat(1_100_000)}` })).toMatchObject({
      field: 'garden.yaml',
      message: expect.stringContaining('larger than'),
    });
  });

  it('with 50,000 files is refused before they are read', async () => {
    const repository = await newRepository();
    const files = Array.from(
      { length: 50_000 },
      (_, index) => `M 644 inline f/${index % 250}/${index}\ndata <<E\n${index}\nE\n`,
    );
    const head = 'commit refs/heads/main\ncommitter Ada <ada@example.org> 0 +0000\ndata 0\n';
    await repository.git(['fast-import', '--quiet'], `${head}${files.join('')}\n`);
    await expect(read(repository.url)).rejects.toThrow(/has 5\d{4} objects, more than 20000/);
  });

  it('whose files are no text is a problem of the file', async () => {
    expect(await problemOf({ 'garden.yaml': Buffer.from([0xff, 0xfe, 0x00]) })).toEqual({
      field: 'garden.yaml',
      message: 'is no text in UTF-8',
    });
    expect(await problemOf({ 'garden.yaml': 'name: [\n' })).toMatchObject({ message: expect.stringContaining('line') });
    expect(await problemOf({ 'garden.yaml/x': 'a folder' })).toMatchObject({ message: 'is a folder' });
  });

  it('cannot put control characters into what is shown of its commits', async () => {
    const repository = await newRepository();
    await repository.commit({ 'garden.yaml': 'name: home\n' }, 'Red \u001b[31m alert\u202e\u0007 here');
    expect((await read(repository.url)).commit.subject).toBe('Red [31m alert here');
  });
});
