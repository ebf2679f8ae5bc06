import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { realPath, walkPath } from './host-paths.ts';
import { type MountCheck, type OtherMount, refuseMounts, refuseWriting } from './mount-check.ts';
import { parsePolicy } from './read-policy.ts';

const folder = temporaryFolder('mounts');
afterAll(folder.remove);
const root = realPath(folder.path);
const app = join(root, 'srv/app');
const data = join(app, 'data');
const outside = join(root, 'etc');

beforeEach(() => {
  for (const name of ['srv', 'etc', 'run', 'volumes']) rmSync(join(root, name), { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  mkdirSync(outside);
});

const swap = () => {
  rmSync(data, { recursive: true });
  symlinkSync(outside, data);
};
const policy = (...host_paths: string[]) => parsePolicy(JSON.stringify({ host_paths }));
const mounting = (path: string, readOnly = false) => ({ path, readOnly });
const other = (path: string, overrides: Partial<OtherMount> = {}): OtherMount => ({
  path,
  readOnly: false,
  holder: 'the container other',
  chosen: true,
  ...overrides,
});
const refusal = (overrides: Partial<MountCheck>) =>
  refuseMounts({
    policy: policy(app),
    engineSocket: join(root, 'run/docker.sock'),
    wanted: [mounting(data)],
    others: [],
    written: [],
    ...overrides,
  });

describe('a path that resolves inside the policy', () => {
  it('is allowed', () => expect(refusal({})).toBeUndefined());

  it('is allowed beside a container that mounts the same path, or one above it read-only', () =>
    expect(refusal({ others: [other(data), other(app, { readOnly: true })] })).toBeUndefined());

  it('is allowed through a link that only the operator could create', () => {
    symlinkSync(app, join(root, 'srv/link'));
    expect(refusal({ wanted: [mounting(join(root, 'srv/link/data'))] })).toBeUndefined();
  });

  it('is allowed below a directory that containers wrote to earlier, if it contains no link', () =>
    expect(refusal({ written: [app] })).toBeUndefined());
});

describe('a path is refused', () => {
  it('if a link leads out of the policy', () => {
    swap();
    expect(refusal({})).toBe(
      `${data} leads to ${outside}: requests a mount of host path ${outside}, which the policy of this server does not allow (rule host_paths)`,
    );
  });

  it('if its dangling link points outside the policy, since the target may be created later', () => {
    rmSync(data, { recursive: true });
    symlinkSync(join(root, 'later/shadow'), data);
    expect(refusal({})).toContain('(rule host_paths)');
  });

  it('if it leaves the policy by a relative link, by .. behind a link, or by /proc/self/root', () => {
    rmSync(data, { recursive: true });
    symlinkSync('../../etc', data);
    expect(refusal({})).toContain(`leads to ${outside}`);
    rmSync(data);
    mkdirSync(join(app, 'deep/er'), { recursive: true });
    symlinkSync('deep/er', data);
    expect(walkPath(`${data}/../x`).real).toBe(join(app, 'deep/x'));
    rmSync(data);
    symlinkSync(`/proc/self/root${outside}`, data);
    expect(refusal({})).toContain(`leads to ${outside}`);
  });

  it('while a container can write above it, even if it is mounted read-only and nothing was replaced yet', () => {
    const others = [other(app, { holder: 'the container files' })];
    for (const readOnly of [false, true])
      expect(refusal({ wanted: [mounting(data, readOnly)], others })).toContain(
        `${data} lies below ${app}, which the container files can write to`,
      );
  });

  it('below another path that the same container can write to', () => {
    expect(refusal({ wanted: [mounting(app), mounting(data)] })).toContain('which the container itself can write to');
    expect(refusal({ wanted: [mounting(app, true), mounting(data)] })).toBeUndefined();
  });

  it('through a link to another allowed directory, if a removed container could have created it', () => {
    swap();
    const allowed = policy(app, outside);
    expect(refusal({ policy: allowed })).toBeUndefined();
    expect(refusal({ policy: allowed, written: [app] })).toContain(`leads through the link data in ${app}`);
  });

  it('below the folder of a volume, which any container could write to', () => {
    const volume = join(root, 'volumes/blog_data/_data');
    mkdirSync(join(volume, 'sub'), { recursive: true });
    const others = [other(volume, { chosen: false, holder: 'a volume' })];
    expect(refusal({ policy: policy(root), wanted: [mounting(join(volume, 'sub'))], others })).toContain(volume);
  });

  it('if it contains the socket of the engine, wherever that is', () => {
    mkdirSync(join(root, 'run'));
    expect(refusal({ policy: policy(root), wanted: [mounting(join(root, 'run'))] })).toContain('(rule docker_socket)');
  });
});

describe('write access', () => {
  it('is refused to a directory above a mount of another container', () => {
    const others = [other(data, { holder: 'the container shop', readOnly: true })];
    expect(refuseWriting({ wanted: [mounting(app)], others })).toContain(
      `${app} contains ${data}, which the container shop mounts`,
    );
    expect(refuseWriting({ wanted: [mounting(app, true)], others })).toBeUndefined();
    expect(refuseWriting({ wanted: [mounting(data)], others })).toBeUndefined();
  });

  it('is refused to a directory with a link that another container mounts through', () => {
    symlinkSync(outside, join(app, 'link'));
    expect(refuseWriting({ wanted: [mounting(app)], others: [other(join(app, 'link'))] })).toContain('contains');
  });
});

it('resolving a path with a link loop ends', () => {
  symlinkSync('b', join(root, 'srv/a'));
  symlinkSync('a', join(root, 'srv/b'));
  expect(walkPath(join(root, 'srv/a/x')).entries.length).toBeLessThan(100);
});
