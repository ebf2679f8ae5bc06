import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { providerOf, repositoryPath } from './provider.ts';
import { isPushTo } from './push-event.ts';
import { isSigned } from './signature.ts';
import { statusRequest } from './status.ts';

const secret = 'a-secret';
const body = Buffer.from('{"ref":"refs/heads/main"}');
const hmac = (key = secret) => createHmac('sha256', key).update(body).digest('hex');

describe('a push', () => {
  it.each([
    ['GitHub', { 'x-hub-signature-256': `sha256=${hmac()}` }],
    ['GitLab', { 'x-gitlab-token': secret }],
    ['Gitea', { 'x-gitea-signature': hmac(), 'x-hub-signature-256': `sha256=${hmac()}` }],
    ['Forgejo', { 'x-forgejo-signature': hmac(), 'x-gitea-signature': hmac() }],
  ])('of %s is recognized by its signature', (_, headers) => {
    expect(isSigned(headers, body, secret)).toBe(true);
    expect(isSigned(headers, body, `${secret}!`)).toBe(false);
    const [[name, value] = ['', '']] = Object.entries(headers);
    expect(isSigned({ [name]: `${value}0` }, body, secret)).toBe(false);
    if (name !== 'x-gitlab-token') expect(isSigned(headers, Buffer.concat([body, body]), secret)).toBe(false);
  });

  it('without a signature, or with one that is wrong beside a right one, is refused', () => {
    expect(isSigned({}, body, secret)).toBe(false);
    expect(isSigned({ 'x-hub-signature-256': '' }, body, secret)).toBe(false);
    expect(isSigned({ 'x-gitea-signature': hmac(), 'x-gitlab-token': 'guess' }, body, secret)).toBe(false);
  });

  it('matters only for the branch that is followed', () => {
    const of = (ref: unknown) => Buffer.from(JSON.stringify({ ref }));
    expect(isPushTo('main', { 'x-github-event': 'push' }, body)).toBe(true);
    expect(isPushTo('main', { 'x-gitlab-event': 'Push Hook' }, body)).toBe(true);
    expect(isPushTo('main', { 'x-github-event': 'ping' }, body)).toBe(false);
    expect(isPushTo('main', {}, of('refs/heads/other'))).toBe(false);
    expect(isPushTo('main', {}, of('refs/tags/main'))).toBe(false);
    for (const odd of ['', 'null', '[]', '{', '"ref"']) expect(isPushTo('main', {}, Buffer.from(odd))).toBe(false);
    const form = Buffer.from(`payload=${encodeURIComponent(body.toString())}`);
    expect(isPushTo('main', { 'content-type': 'application/x-www-form-urlencoded' }, form)).toBe(true);
  });
});

describe('a forge', () => {
  it('is guessed from the name of its host', () => {
    expect(providerOf('https://github.com/a/b')).toBe('github');
    expect(providerOf('https://codeberg.org/a/b')).toBe('forgejo');
    expect(providerOf('https://gitlab.example.org/a/b')).toBe('gitlab');
    expect(providerOf('https://git.example.org/a/gitlab.git')).toBeNull();
    expect(providerOf('https://notgithub.com/a/b')).toBeNull();
    expect(repositoryPath('https://gitlab.com/group/sub/home.git/')).toBe('group/sub/home');
  });

  it('is told the status of a commit at its own address', () => {
    const report = {
      ...{
        token: 'a-token',
        sha: 'f'.repeat(40),
        branch: 'main',
        garden: 'home',
        page: 'http://hortus.test/gardens/x',
      },
      ...{ status: 'superseded' as const, text: `${'long '.repeat(40)}\nline` },
    };
    const of = (provider: 'github' | 'gitlab' | 'forgejo', url: string) => {
      const request = statusRequest({ ...report, provider, url });
      return { ...request, body: JSON.parse(request.body) };
    };
    const github = of('github', 'https://github.com/ada/home.git');
    expect(github).toMatchObject({
      url: `https://api.github.com/repos/ada/home/statuses/${report.sha}`,
      headers: { Authorization: 'Bearer a-token' },
      body: { state: 'failure', context: 'hortus/home', target_url: report.page },
    });
    expect(github.body.description).toHaveLength(140);
    expect(of('github', 'https://github.example.org/ada/home').url).toContain(
      'https://github.example.org/api/v3/repos/',
    );
    expect(of('gitlab', 'https://gitlab.com/group/sub/home.git')).toMatchObject({
      url: `https://gitlab.com/api/v4/projects/group%2Fsub%2Fhome/statuses/${report.sha}`,
      headers: { 'PRIVATE-TOKEN': 'a-token' },
      body: { state: 'canceled', name: 'hortus/home', ref: 'main' },
    });
    expect(of('forgejo', 'https://codeberg.org/ada/home')).toMatchObject({
      url: `https://codeberg.org/api/v1/repos/ada/home/statuses/${report.sha}`,
      headers: { Authorization: 'token a-token' },
      body: { state: 'failure' },
    });
  });
});
