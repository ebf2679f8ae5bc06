import { createHash } from 'node:crypto';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from '../deployed-species.ts';

const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

export function tools(catalog: Catalog): void {
  catalogTest('the registry stores an image, lists it and removes unused layers', { timeout: 240_000 }, async () => {
    const deployed = await deploySpecies(catalog(), 'registry', { WEB_HOSTNAME: 'images.example.org' });
    const [used, unused] = [await pushBlob(deployed, '{}'), await pushBlob(deployed, 'unused')];
    const manifest = JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
      config: { mediaType: 'application/vnd.docker.container.image.v1+json', size: 2, digest: used },
      layers: [],
    });
    const type = { 'content-type': 'application/vnd.docker.distribution.manifest.v2+json' };
    const pushed = await call(deployed, 'PUT', '/v2/seeds/manifests/1.0', manifest, type);
    expect(pushed.status, await pushed.text()).toBe(201);

    expect(JSON.parse(await deployed.run('repositories'))).toEqual({ repositories: ['seeds'] });
    expect(JSON.parse(await deployed.run('tags', { repository: 'seeds' }))).toEqual({ name: 'seeds', tags: ['1.0'] });
    expect(await deployed.run('garbage-dry-run')).toContain(`blob eligible for deletion: ${unused}`);
    const blobs = () => deployed.say('find', '/var/lib/registry', '-name', 'data');
    expect(await blobs()).toContain(unused.slice('sha256:'.length));
    await deployed.run('garbage-collect', { untagged: true });
    expect(await blobs()).not.toContain(unused.slice('sha256:'.length));
    expect(await blobs()).toContain(used.slice('sha256:'.length));
    await deployed.checkAndRelease();
  });

  function call(
    deployed: DeployedSpecies,
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ) {
    const { username, password } = deployed.provided();
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    return deployed.fetch(5000, path, { method, headers: { ...headers, authorization }, ...(body && { body }) });
  }

  async function pushBlob(deployed: DeployedSpecies, content: string): Promise<string> {
    const begun = await call(deployed, 'POST', '/v2/seeds/blobs/uploads/');
    expect(begun.status).toBe(202);
    // It returns its public address, which the test cannot reach.
    const place = new URL(begun.headers.get('location') ?? '', 'http://registry');
    place.searchParams.set('digest', digest(content));
    const type = { 'content-type': 'application/octet-stream' };
    const ended = await call(deployed, 'PUT', `${place.pathname}${place.search}`, content, type);
    expect(ended.status, await ended.text()).toBe(201);
    return digest(content);
  }

  catalogTest('Prometheus collects and answers', { timeout: 240_000 }, async () => {
    const rules = '- name: beds\n  rules:\n  - {record: beds:up, expr: sum(up)}';
    const inputs = { WEB_HOSTNAME: 'metrics.example.org', SCRAPE_SECONDS: 1, RULES: rules };
    const deployed = await deploySpecies(catalog(), 'prometheus', inputs);
    expect(await deployed.run('check-config')).toContain('SUCCESS: 1 rules found');
    const respond = async () => JSON.parse(await deployed.run('query', { query: 'beds:up' })).data.result[0]?.value[1];
    await until(async () => (await respond()) === '1', { describe: 'a sample' });
    expect(JSON.parse(await deployed.run('targets')).data.activeTargets).toMatchObject([{ health: 'up' }]);
    expect(JSON.parse(await deployed.run('tsdb-status')).data.headStats.numSeries).toBeGreaterThan(100);
    await deployed.checkAndRelease();
  });

  catalogTest('Adminer shows its page and its drivers', { timeout: 240_000 }, async () => {
    const deployed = await deploySpecies(catalog(), 'adminer', {
      WEB_HOSTNAME: 'db.example.org',
      DEFAULT_SERVER: 'db.internal:3306',
    });
    expect(await (await deployed.fetch(8080, '/')).text()).toContain('db.internal:3306');
    const drivers = (await deployed.run('drivers')).split('\n');
    expect(drivers).toEqual(expect.arrayContaining(['mysqli', 'pgsql', 'sqlite3']));
    await deployed.checkAndRelease();
  });
}
