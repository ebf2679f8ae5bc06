import { createHmac } from 'node:crypto';
import { type GitServer, startGitServer } from '@hortus/testkit/git-server';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../../testing/engines.ts';
import { type RunningService, startApp } from '../../../testing/running-service.ts';
import { Follower, gardenOf } from '../testing/follower.ts';

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server.stop());

let number = 0;
const newRepository = () => server.repository(`garden-${++number}`);

onBothEngines((engine) => {
  let installation: RunningService;
  beforeAll(async () => {
    installation = await startApp(engine);
  });

  async function open() {
    const service = await installation.inNewAccount();
    const follower = new Follower(service);
    await follower.server('attic');
    return { service, follower, repository: await newRepository() };
  }

  it('a proposed commit waits for the approval of its plan, and only of that plan', async () => {
    const { service, follower, repository } = await open();
    const sha = await repository.commit({ 'garden.yaml': gardenOf(['blog']) }, 'Start a blog');
    const { id, source, webhook } = await follower.follow(repository);
    expect(source).toMatchObject({ url: repository.url, branch: 'main', mode: 'propose', has_credentials: false });
    expect(webhook).toEqual({ url: `http://hortus.test/api/v1/gardens/${id}/push`, secret: expect.any(String) });

    const waiting = await follower.reaches(id, sha, 'waiting');
    expect(waiting).toMatchObject({ subject: 'Start a blog', author: 'Ada', counts: { create: 1 }, problems: [] });
    expect(waiting.plan?.changes).toMatchObject([{ kind: 'definition', key: 'blog', action: 'create' }]);
    expect(await follower.definitions()).toEqual([]);

    // What the plan would do changes: the definition exists meanwhile.
    const server_id = (await service.client.call('servers.list', {})).data[0]?.id ?? '';
    const inputs = { WEB_HOSTNAME: 'blog.example.org' };
    const body = { species: 'inkwell', instance_uid: 'blog', server_id, name: 'blog', inputs };
    await service.client.call('definitions.create', { body });
    await expect(follower.approve(waiting)).rejects.toMatchObject({ details: { reason: 'stale' } });
    const planned = await follower.commit(waiting);
    expect(planned).toMatchObject({ status: 'waiting', counts: { create: 0 } });
    expect(await follower.approve(planned)).toMatchObject({ status: 'applying', run_id: expect.any(String) });
    await follower.carriedOut(id, sha);
    expect((await follower.garden(id)).source).toMatchObject({ applied_sha: sha, error: null });

    const events = (await service.eventsOf(waiting.id)).map(({ type }) => type);
    expect(events).toEqual(['garden.commit.planned', 'garden.commit.waiting', 'garden.commit.applied']);
    await expect(follower.approve(planned)).rejects.toMatchObject({ details: { reason: 'state' } });
    const files = { garden: { name: 'home' } };
    await expect(follower.apply(files)).rejects.toMatchObject({ details: { reason: 'followed' } });

    // A commit that changes nothing needs no approval; a rejected one changes nothing.
    const same = await repository.commit({ 'README.md': 'Hello\n' });
    await follower.sync(id);
    await follower.reaches(id, same, 'applied');
    const more = await repository.commit({ 'garden.yaml': gardenOf(['blog', 'wiki']) });
    await follower.sync(id);
    const { id: commit_id } = await follower.reaches(id, more, 'waiting');
    const reject = { params: { id, commit_id }, body: { comment: 'Not today.' } };
    expect((await service.client.call('gardens.reject', reject)).data).toMatchObject({
      status: 'rejected',
      error: 'Not today.',
    });
    expect((await service.client.call('gardens.reject', reject)).data.status).toBe('rejected');
    expect(await follower.definitions()).toHaveLength(1);
    // Asked for again, it is proposed again.
    await follower.sync(id, true);
    await follower.reaches(id, more, 'waiting');
    expect(service.errors).toEqual([]);
  });

  it('an applied commit changes what exists, and a broken one keeps it and says why', async () => {
    const { service, follower, repository } = await open();
    const first = await repository.commit({ 'garden.yaml': gardenOf(['blog', 'wiki']) });
    const { id } = await follower.follow(repository, { mode: 'apply', prune: true });
    await follower.carriedOut(id, first);
    const before = await follower.definitions();
    expect(before.map(({ instance_uid }) => instance_uid).sort()).toEqual(['blog', 'wiki']);

    const broken: Record<string, string> = {
      '(line 3)': 'name: home\ndefinitions: [\n',
      'definitions.blog.species': 'name: home\ndefinitions:\n  blog: {species: nothing, server: attic}\n',
      name: gardenOf(['blog'], { name: 'another' }),
      'definitions.blog.inputs.SMTP_PASSWORD': gardenOf(['blog', 'wiki'], {
        inputs: ', SMTP_PASSWORD: "${env.SMTP_PASSWORD}"',
      }),
    };
    for (const [place, text] of Object.entries(broken)) {
      const sha = await repository.commit({ 'garden.yaml': text });
      await follower.sync(id);
      const commit = await follower.reaches(id, sha, 'broken');
      expect(`${commit.problems[0]?.field} ${commit.error}`).toContain(place);
      const [event] = await service.eventsOf(commit.id);
      expect(event).toMatchObject({ type: 'garden.commit.broken', data: { sha, error: commit.error } });
    }
    expect(await follower.definitions()).toEqual(before);
    expect((await follower.garden(id)).source).toMatchObject({ applied_sha: first, last_commit: { status: 'broken' } });

    const fixed = await repository.commit({ 'garden.yaml': gardenOf(['blog', 'feeds']) });
    await follower.sync(id);
    const applied = await follower.carriedOut(id, fixed);
    expect(applied.counts).toMatchObject({ create: 1, archive: 1, unchanged: 1 });
    expect(service.errors).toEqual([]);
  });

  it('a reference keeps the stored value, and is a problem where none is stored', async () => {
    const { follower, repository } = await open();
    const inputs = { WEB_HOSTNAME: 'blog.example.org', SMTP_PASSWORD: '${env.PASSWORD}' };
    const garden = { name: 'home', definitions: { blog: { species: 'inkwell', server: 'attic', inputs } } };
    await follower.applied({ garden, values: { 'env.PASSWORD': 'hunter2hunter2' } });
    const text = gardenOf(['blog'], { inputs: ', SMTP_PASSWORD: "${env.PASSWORD}"' });
    const sha = await repository.commit({ 'garden.yaml': text });
    const { id } = await follower.follow(repository, { mode: 'apply' });
    expect((await follower.reaches(id, sha, 'applied')).counts).toMatchObject({ unchanged: 1, update: 0 });
  });

  it('newer commits supersede older ones, and wait for the run that is applied', async () => {
    const { follower, repository } = await open();
    const shas = [await repository.commit({ 'garden.yaml': gardenOf(['a']) })];
    const { id } = await follower.follow(repository, { mode: 'apply' });
    const [first = ''] = shas;
    const { run_id } = await follower.reaches(id, first, 'applying');
    for (const uids of [
      ['a', 'b'],
      ['a', 'c'],
    ]) {
      const sha = await repository.commit({ 'garden.yaml': gardenOf(uids) });
      shas.push(sha);
      await follower.sync(id);
      await follower.reaches(id, sha, 'found');
    }
    const [, second = '', third = ''] = shas;
    const superseded = await follower.reaches(id, second, 'superseded');
    expect(superseded.error).toContain(third.slice(0, 10));
    await follower.succeeds(run_id ?? '');
    await follower.carriedOut(id, third);
    expect((await follower.definitions()).map(({ instance_uid }) => instance_uid).sort()).toEqual(['a', 'c']);
  });

  it('drift shows what differs from the applied commit, and changes nothing', async () => {
    const { service, follower, repository } = await open();
    const sha = await repository.commit({ 'garden.yaml': gardenOf(['blog']) });
    const { id } = await follower.follow(repository, { mode: 'apply' });
    const drift = async () => (await service.client.call('gardens.drift', { params: { id } })).data;
    expect(await drift()).toEqual({ commit: null, plan: null });
    await follower.carriedOut(id, sha);
    expect(await drift()).toMatchObject({ commit: { sha }, plan: { changes: [] } });
    const [blog] = await follower.definitions();
    const body = { name: 'Renamed by hand' };
    await service.client.call('definitions.update', { params: { id: blog?.id ?? '' }, body });
    expect((await drift()).plan?.changes).toMatchObject([
      { key: 'blog', fields: [{ field: 'name', before: 'Renamed by hand', after: 'blog' }] },
    ]);
    expect((await follower.commits(id)).length).toBe(1);
    // Planned again, it is as the file says.
    await follower.sync(id, true);
    await until(async () => (await follower.commits(id)).length === 2, { describe: 'the commit again' });
    await follower.carriedOut(id, sha);
    expect(await drift()).toMatchObject({ plan: { changes: [] } });
  });

  it('a push of any forge is believed by its signature, and nothing is told otherwise', async () => {
    const { service, follower, repository } = await open();
    const sha = await repository.commit({ 'garden.yaml': gardenOf(['blog']) });
    const { id, webhook } = await follower.follow(repository);
    await follower.reaches(id, sha, 'waiting');
    const push = (headers: Record<string, string>, ref = 'refs/heads/main', garden = id) =>
      service.request('POST', `/gardens/${garden}/push`, { key: null, raw: bodyOf(ref), headers });
    const bodyOf = (ref: string) => JSON.stringify({ ref, before: '0', after: '1' });
    const sign = (key: string, ref = 'refs/heads/main') => createHmac('sha256', key).update(bodyOf(ref)).digest('hex');

    const wrong = await push({ 'x-hub-signature-256': `sha256=${sign('guess')}` });
    expect(wrong).toMatchObject({ status: 401, json: { error: { message: 'The signature is missing or wrong.' } } });
    for (const other of [await push({}), await push({ 'x-gitlab-token': 'x' }, undefined, 'gdn_unknown')])
      expect([other.status, other.json]).toEqual([wrong.status, wrong.json]);
    const large = { key: null, raw: 'x'.repeat(600_000), headers: { 'x-gitlab-token': webhook.secret } };
    expect((await service.request('POST', `/gardens/${id}/push`, large)).status).toBe(422);

    const { secret } = webhook;
    const ignored = { 'x-gitlab-token': secret, 'x-gitlab-event': 'Push Hook' };
    const asked = server.requests.length;
    expect((await push(ignored, 'refs/heads/other')).status).toBe(202);
    const forges: Record<string, string>[] = [
      { 'x-hub-signature-256': `sha256=${sign(secret)}`, 'x-github-event': 'push' },
      { 'x-gitlab-token': secret, 'x-gitlab-event': 'Push Hook' },
      { 'x-gitea-signature': sign(secret), 'x-gitea-event': 'push' },
      { 'x-forgejo-signature': sign(secret), 'x-forgejo-event': 'push' },
    ];
    expect(server.requests.slice(asked).filter((path) => repository.url.endsWith(path.split('/')[1] ?? ''))).toEqual(
      [],
    );
    for (const headers of forges) {
      const next = await repository.commit({ 'notes.txt': JSON.stringify(headers) });
      expect((await push(headers)).status).toBe(202);
      await follower.reaches(id, next, 'waiting');
    }
    expect(service.errors).toEqual([]);
  });

  it('a forge is told each status with the credentials of the source', async () => {
    // The API of the forge is a stand-in: it records requests beside the real Git server.
    const login = { username: 'ada', token: 'token-of-ada' };
    await using locked = await startGitServer(login);
    const { service, follower } = await open();
    const repository = await locked.repository('ada/home');
    const sha = await repository.commit({ 'garden.yaml': gardenOf(['blog']) });
    const { id, source } = await follower.follow(repository, {
      ...{ mode: 'apply', provider: 'forgejo', credentials: login },
    });
    expect(source).toMatchObject({ has_credentials: true, username: 'ada', provider: 'forgejo' });
    expect(JSON.stringify(await follower.garden(id))).not.toContain(login.token);
    await follower.carriedOut(id, sha);
    const broken = await repository.commit({ 'garden.yaml': 'name: 1\n' });
    await follower.sync(id);
    await follower.reaches(id, broken, 'broken');
    const reported = (of: string, state: string) =>
      locked.apiRequests.find(({ path, body }) => path.endsWith(of) && body.state === state);
    await until(() => reported(sha, 'success') && reported(broken, 'failure'), { describe: 'both statuses' });
    expect(reported(sha, 'success')).toMatchObject({
      path: `/api/v1/repos/ada/home/statuses/${sha}`,
      headers: { authorization: `token ${login.token}` },
      body: { context: 'hortus/home', description: expect.stringContaining('Applied') },
    });
    expect(reported(broken, 'failure')?.body.description).toContain('name');
    // A forge that refuses it changes nothing.
    locked.apiStatus = 500;
    const last = await repository.commit({ 'garden.yaml': gardenOf(['blog']) });
    await follower.sync(id);
    await follower.reaches(id, last, 'applied');
    expect(service.errors).toEqual([]);
    expect(JSON.stringify(await service.eventsOf())).not.toContain(login.token);
  });

  it('commits are applied with the rights that the follower has at that moment', async () => {
    const { service, follower, repository } = await open();
    const make = async (permissions: string[]) => {
      const { data } = await service.client.call('keys.create', { body: { name: 'ci', permissions } as never });
      return data;
    };
    const sha = await repository.commit({ 'garden.yaml': gardenOf(['blog']) });
    const weak = await make(['gardens:read', 'gardens:write', 'definitions:read']);
    const body = { url: repository.url, mode: 'apply', name: 'home' };
    const { json } = await service.request('POST', '/gardens', { key: weak.key, body });
    const { id } = json.data;
    const failed = await follower.reaches(id, sha, 'failed');
    expect(failed).toMatchObject({ reason: 'forbidden', error: expect.stringContaining('definitions:write') });
    expect(await follower.definitions()).toEqual([]);

    // The user who changes the source lends it their own rights, never those of another.
    const strong = await make(['gardens:read', 'gardens:write', 'definitions:read', 'definitions:write']);
    const change = { key: strong.key, body: { interval: 600 } };
    expect((await service.request('PATCH', `/gardens/${id}`, change)).json.data.source.followed_by).toBe(strong.id);
    await service.client.call('keys.revoke', { params: { id: strong.id } });
    await follower.sync(id, true);
    const gone = await until(async () => (await follower.commits(id)).find(({ reason }) => reason === 'rights'), {
      describe: 'the commit to fail again',
    });
    expect(gone.error).toContain(strong.id);
    await service.request('PATCH', `/gardens/${id}`, { body: { path: 'garden.yaml', interval: 700 } });
    await follower.sync(id, true);
    await follower.carriedOut(id, sha);
    expect(service.errors).toEqual([]);
  });

  it('a source is changed without losing or leaking its credentials', async () => {
    const { service, follower, repository } = await open();
    const login = { username: 'ada', token: 'token-of-ada' };
    const { id, webhook } = await follower.follow(repository, { credentials: login });
    const change = async (body: object) => await service.request('PATCH', `/gardens/${id}`, { body });
    const elsewhere = { url: `${server.url}/elsewhere.git` };
    expect(await change(elsewhere)).toMatchObject({
      status: 422,
      json: { error: { details: { field: 'credentials' } } },
    });
    const rotated = await change({ rotate_secret: true });
    expect(rotated.json.data.webhook.secret).not.toBe(webhook.secret);
    const old = { key: null, raw: '{}', headers: { 'x-gitlab-token': webhook.secret } };
    expect((await service.request('POST', `/gardens/${id}/push`, old)).status).toBe(401);
    expect((await change({ ...elsewhere, credentials: null })).json.data.source).toMatchObject({
      ...elsewhere,
      has_credentials: false,
    });
    await until(async () => (await follower.garden(id)).source?.error?.includes('There is no repository'), {
      describe: 'the error of the new address',
    });
    for (const [body, field] of [
      [{ url: 'https://ada:secret@git.example.org/x.git' }, 'url'],
      [{ url: 'ftp://git.example.org/x.git' }, 'url'],
      [{ path: '../garden.yaml' }, 'path'],
      [{ branch: 'a..b' }, 'branch'],
      [{ interval: 5 }, 'interval'],
    ] as const)
      expect(await change({ credentials: null, ...body })).toMatchObject({
        status: 422,
        json: { error: { details: { field } } },
      });
    await expect(follower.follow(repository)).rejects.toMatchObject({ details: { reason: 'taken' } });
    await service.client.call('gardens.delete', { params: { id } });
    await expect(follower.garden(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(service.errors).toEqual([]);
  });
});
