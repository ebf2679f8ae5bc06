import { createHash } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentMark } from '@hortus/contract/releases/agent-file';
import { AGENT, AGENT_RELEASE } from '@hortus/testkit/agent-folder';
import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { publicUrl, type RunningService, startApp } from '../../testing/running-service.ts';

const path = '/implant/linux/amd64';
const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  async function download(headers: Record<string, string> = {}) {
    const authorization = `Bearer ${service.key}`;
    const response = await fetch(`${service.base}${path}/download`, { headers: { authorization, ...headers } });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  it('the daemon binary is described with its URL', async () => {
    const { data } = await service.client.call('implant.read', { params: { os_type: 'linux', arch: 'amd64' } });
    expect(data).toMatchObject({
      os: 'linux',
      arch: 'amd64',
      version: '1.2.3',
      size: AGENT.length,
      sha256: sha256Of(AGENT),
      file_name: 'hortusd-linux-amd64',
      download_url: `${publicUrl}/api/v1${path}/download`,
      release: AGENT_RELEASE,
    });
  });

  it('the signature of a release is shown only for the bytes that it covers', async () => {
    const own = await startApp(engine);
    const file = join(own.testDatabase.directory, 'agents', 'hortusd-linux-amd64.sig');
    const release = async () =>
      (await own.client.call('implant.read', { params: { os_type: 'linux', arch: 'amd64' } })).data.release;
    const signed = { file: 'hortusd-linux-amd64', version: '1.2.3', sha256: sha256Of(AGENT), signature: 'c2lnbmVk' };
    await writeFile(file, JSON.stringify(signed));
    expect(await release()).toEqual(signed);
    for (const text of [JSON.stringify({ ...signed, sha256: '0'.repeat(64) }), '{"file"', '[]']) {
      await writeFile(file, text);
      expect(await release()).toBeNull();
    }
  });

  it('a binary that was not built, or for an unknown platform, is not found', async () => {
    for (const other of ['/implant/linux/arm64', '/implant/windows/amd64', '/implant/linux/..%2f..%2fkeys']) {
      expectRefusal(await service.request('GET', other), 'NOT_FOUND');
      expectRefusal(await service.request('GET', `${other}/download`), 'NOT_FOUND');
    }
  });

  it('a binary can be downloaded with a server key', async () => {
    const { data } = await service.client.call('servers.register', { body: { name: 'new', environment: 'staging' } });
    expect((await service.request('GET', path, { key: data.api_key })).status).toBe(200);
    const { bytes } = await download({ authorization: `Bearer ${data.api_key}` });
    expect(bytes).toEqual(AGENT);
  });

  describe('the download of a binary', () => {
    it('is the file, with its sha256 as ETag', async () => {
      const { response, bytes } = await download();
      expect(response.status).toBe(200);
      expect(bytes).toEqual(AGENT);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        etag: `"${sha256Of(AGENT)}"`,
        'accept-ranges': 'bytes',
        'content-length': String(AGENT.length),
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="hortusd-linux-amd64"',
        'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
      });
    });

    it('resumes after an interruption', async () => {
      const { response, bytes } = await download({ range: 'bytes=100-' });
      expect(response.status).toBe(206);
      expect(response.headers.get('content-range')).toBe(`bytes 100-${AGENT.length - 1}/${AGENT.length}`);
      expect(bytes).toEqual(AGENT.subarray(100));
      expect((await download({ range: 'bytes=0-3' })).bytes).toEqual(AGENT.subarray(0, 4));
      expect((await download({ range: 'bytes=-7' })).bytes).toEqual(AGENT.subarray(-7));
    });

    it('resumes only with the same file', async () => {
      const { headers } = (await download()).response;
      const range = 'bytes=100-';
      expect((await download({ range, 'if-range': headers.get('etag') ?? '' })).response.status).toBe(206);
      const other = await download({ range, 'if-range': '"another"' });
      expect([other.response.status, other.bytes.length]).toEqual([200, AGENT.length]);
    });

    it('responds with 304 to a client that has it', async () => {
      const { headers } = (await download()).response;
      const { response, bytes } = await download({ 'if-none-match': headers.get('etag') ?? '' });
      expect([response.status, bytes.length]).toEqual([304, 0]);
    });

    it('responds with 416 to an unsatisfiable range', async () => {
      const { response, bytes } = await download({ range: `bytes=${AGENT.length}-` });
      expect(response.status).toBe(416);
      expect(response.headers.get('content-range')).toBe(`bytes */${AGENT.length}`);
      expect(JSON.parse(String(bytes))).toMatchObject({
        success: false,
        error: { code: 'VALIDATION_ERROR', details: { field: 'Range' } },
      });
    });

    it('is the new binary as soon as it is replaced', async () => {
      const own = await startApp(engine);
      const file = join(own.testDatabase.directory, 'agents', 'hortusd-linux-amd64');
      const read = async () =>
        (await own.client.call('implant.read', { params: { os_type: 'linux', arch: 'amd64' } })).data;
      expect((await read()).version).toBe('1.2.3');
      // The marker spans two chunks of the reader.
      const next = Buffer.concat([Buffer.alloc(65_536 - 10, '.'), Buffer.from(agentMark('1.3.0')), Buffer.alloc(9)]);
      await writeFile(`${file}.next`, next);
      await rename(`${file}.next`, file);
      expect(await read()).toMatchObject({ version: '1.3.0', size: next.length, sha256: sha256Of(next) });
      await writeFile(file, 'who knows');
      expect(await read()).toMatchObject({ version: null, size: 9 });
      await rm(file);
      expectRefusal(await own.request('GET', path), 'NOT_FOUND');
    });
  });
});
