import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Greenhouse, hasOwnEngine, openGreenhouse } from './greenhouse.ts';
import { grow, type Plant } from './plant.ts';

const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

if (hasOwnEngine) {
  let house: Greenhouse;
  beforeAll(async () => {
    house = await openGreenhouse('registry', 'prometheus', 'adminer');
  }, 300_000);
  afterAll(() => house?.[Symbol.asyncDispose]());

  test('the registry takes an image, lists it and clears away what nobody uses', { timeout: 240_000 }, async () => {
    const plant = await grow(house, 'registry', { WEB_HOSTNAME: 'images.example.org' });
    const [used, unused] = [await pushBlob(plant, '{}'), await pushBlob(plant, 'nobody wants this')];
    const manifest = JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
      config: { mediaType: 'application/vnd.docker.container.image.v1+json', size: 2, digest: used },
      layers: [],
    });
    const type = { 'content-type': 'application/vnd.docker.distribution.manifest.v2+json' };
    const pushed = await call(plant, 'PUT', '/v2/seeds/manifests/1.0', manifest, type);
    expect(pushed.status, await pushed.text()).toBe(201);

    expect(JSON.parse(await plant.run('repositories'))).toEqual({ repositories: ['seeds'] });
    expect(JSON.parse(await plant.run('tags', { repository: 'seeds' }))).toEqual({ name: 'seeds', tags: ['1.0'] });
    expect(await plant.run('garbage-dry-run')).toContain(`blob eligible for deletion: ${unused}`);
    const blobs = () => plant.say('find', '/var/lib/registry', '-name', 'data');
    expect(await blobs()).toContain(unused.slice('sha256:'.length));
    await plant.run('garbage-collect', { untagged: true });
    expect(await blobs()).not.toContain(unused.slice('sha256:'.length));
    expect(await blobs()).toContain(used.slice('sha256:'.length));
    await plant.harvest();
  });

  function call(plant: Plant, method: string, path: string, body?: string, headers: Record<string, string> = {}) {
    const { username, password } = plant.provided();
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    return plant.fetch(5000, path, { method, headers: { ...headers, authorization }, ...(body && { body }) });
  }

  async function pushBlob(plant: Plant, content: string): Promise<string> {
    const begun = await call(plant, 'POST', '/v2/seeds/blobs/uploads/');
    expect(begun.status).toBe(202);
    // It names the address outside, which the test has no way to.
    const place = new URL(begun.headers.get('location') ?? '', 'http://registry');
    place.searchParams.set('digest', digest(content));
    const type = { 'content-type': 'application/octet-stream' };
    const ended = await call(plant, 'PUT', `${place.pathname}${place.search}`, content, type);
    expect(ended.status, await ended.text()).toBe(201);
    return digest(content);
  }

  test('Prometheus collects and answers', { timeout: 240_000 }, async () => {
    const rules = '- name: beds\n  rules:\n  - {record: beds:up, expr: sum(up)}';
    const inputs = { WEB_HOSTNAME: 'metrics.example.org', SCRAPE_SECONDS: 1, RULES: rules };
    const plant = await grow(house, 'prometheus', inputs);
    expect(await plant.run('check-config')).toContain('SUCCESS: 1 rules found');
    const answer = async () => JSON.parse(await plant.run('query', { query: 'beds:up' })).data.result[0]?.value[1];
    await expect.poll(answer, { timeout: 60_000, interval: 500 }).toBe('1');
    expect(JSON.parse(await plant.run('targets')).data.activeTargets).toMatchObject([{ health: 'up' }]);
    expect(JSON.parse(await plant.run('tsdb-status')).data.headStats.numSeries).toBeGreaterThan(100);
    await plant.harvest();
  });

  test('Adminer shows its page and its drivers', { timeout: 240_000 }, async () => {
    const plant = await grow(house, 'adminer', { WEB_HOSTNAME: 'db.example.org', DEFAULT_SERVER: 'db.internal:3306' });
    expect(await (await plant.fetch(8080, '/')).text()).toContain('db.internal:3306');
    const drivers = (await plant.run('drivers')).split('\n');
    expect(drivers).toEqual(expect.arrayContaining(['mysqli', 'pgsql', 'sqlite3']));
    await plant.harvest();
  });
}
