import { createHash } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askDocker } from '@hortus/testkit/docker-request';
import { tar } from '@hortus/testkit/images-tar';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineProblem, type EngineProblemKind } from '../engine/engine-problem.ts';
import { component } from '../plan/testing/manifests.ts';
import { image, TestServer } from '../rollout/testing/server.ts';
import { DaemonProcess, sleeper } from '../testing/daemon-process.ts';
import { fingerprintOf } from './fingerprint.ts';
import { runsOn } from './platform.ts';

/** Builds an archive like `docker save`, of an empty image. */
function imageFor(architecture: string, ref: string): Buffer {
  const layer = tar([]);
  const diff = `sha256:${createHash('sha256').update(layer).digest('hex')}`;
  const config = { architecture, os: 'linux', config: { Cmd: ['true'] }, rootfs: { type: 'layers', diff_ids: [diff] } };
  const list = [{ Config: 'config.json', RepoTags: [ref], Layers: ['layer.tar'] }];
  const file = (path: string, content: Buffer) => ({ path, kind: 'file' as const, mode: 0o644, content });
  return tar([
    file('config.json', Buffer.from(JSON.stringify(config))),
    file('layer.tar', layer),
    file('manifest.json', Buffer.from(JSON.stringify(list))),
  ]);
}

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open();
});
afterAll(() => server.close());

describe('the fingerprint of a server', () => {
  it('contains the versions of its engine and Caddy', async () => {
    const { text } = await askDocker(server.socketPath, 'GET', '/version');
    const said = JSON.parse(text) as { Version: string; ApiVersion: string };
    expect(await fingerprintOf({ ...server, path: '' })).toEqual({
      engine: 'docker',
      engine_version: said.Version,
      api_version: expect.stringMatching(/^1\.\d\d$/),
      engine_problem: null,
      os: 'linux',
      arch: process.arch === 'arm64' ? 'arm64' : 'amd64',
      cgroup: expect.stringMatching(/^[12]$/),
      storage_driver: expect.stringMatching(/^[a-z0-9]+$/),
      rootless: false,
      gpu_runtime: null,
      caddy_version: expect.stringMatching(/^2\.\d+/),
    });
  });

  it('has a GPU runtime if the program that Docker looks for exists', async () => {
    await using folder = temporaryFolder('hook');
    const hook = join(folder.path, 'nvidia-container-runtime-hook');
    writeFileSync(hook, '');
    chmodSync(hook, 0o755);
    expect(await fingerprintOf({ ...server, path: `/nowhere:${folder.path}` })).toMatchObject({
      gpu_runtime: 'nvidia',
    });
  });

  const failing = (kind: EngineProblemKind) => ({
    info: () => Promise.reject(new EngineProblem({ operation: 'ask', kind, detail: 'it speaks API 1.40' })),
  });

  it('says why an engine cannot be used, and is undefined while it does not respond', async () => {
    const { ingress } = server;
    expect(await fingerprintOf({ ingress, engine: failing('unsupported') })).toMatchObject({
      engine: null,
      engine_problem: 'Could not ask: it speaks API 1.40',
    });
    expect(await fingerprintOf({ ingress, engine: failing('unreachable') })).toBeUndefined();
  });
});

describe('an image', () => {
  const none = () => false;
  it.each([
    ['linux/amd64', 'linux/amd64', true],
    ['linux/386', 'linux/amd64', true],
    ['linux/arm', 'linux/arm64', true],
    ['/', 'linux/amd64', true],
    ['linux/arm64', 'linux/amd64', false],
    ['linux/amd64', 'linux/arm64', false],
    ['windows/amd64', 'linux/amd64', false],
  ])('for %s on a server that is %s: %s', (of, on, fits) => {
    const platform = (text: string) => ({ os: text.split('/')[0] ?? '', arch: text.split('/')[1] ?? '' });
    expect(runsOn(platform(of), platform(on), none)).toBe(fits);
  });

  it('for another processor runs if the kernel emulates it', () => {
    const [arm, amd] = ['arm64', 'amd64'].map((arch) => ({ os: 'linux', arch })) as [never, never];
    expect(runsOn(arm, amd, (arch) => arch === 'arm64')).toBe(true);
  });

  it('for another processor fails the deployment with a reason before anything is started', async () => {
    const foreign = `hortus-test/foreign-${server.id.slice(4)}:1`;
    const { status, text } = await askDocker(server.socketPath, 'POST', '/images/load', imageFor('s390x', foreign));
    expect({ status, text }).toMatchObject({ status: 200, text: expect.not.stringContaining('error') });
    try {
      const uid = server.newUid();
      const result = await server.deploy(uid, [component('main', { image: foreign, command: ['true'] })]);
      expect(result).toMatchObject({ status: 'failed', reason: 'image' });
      expect(result.error).toMatch(/is built for linux\/s390x, but this server is linux\/\w+/);
      expect(await server.engine.inspect(uid)).toBeUndefined();
    } finally {
      await askDocker(server.socketPath, 'DELETE', `/images/${foreign}?force=true`);
    }
  });
});

it('a deployment that needs a GPU fails on a server without one, even if the policy allows it', async () => {
  const daemon = await DaemonProcess.start();
  try {
    await daemon.connected();
    await daemon.kill(() => writeFileSync(join(daemon.stateDirectory, 'policy.yaml'), 'gpu: true\n'));
    await daemon.connected();
    const deployment = daemon.order(daemon.server.newUid(), [sleeper({ image, gpu: { count: 'all' } })]);
    const report = await daemon.reportOf(deployment);
    expect(report).toMatchObject({ status: 'failed', reason: 'unsupported' });
    expect(report.error).toContain('main needs a GPU, and the server has no GPU runtime');
  } finally {
    await daemon.close();
  }
});
