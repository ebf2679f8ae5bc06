import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from '../deployed-species.ts';

export function websites(catalog: Catalog): void {
  catalogTest('nginx and HAProxy proxy a static page', { timeout: 240_000 }, async () => {
    const site = await deploySpecies(catalog(), 'static-site', {
      WEB_HOSTNAME: 'www.example.org',
      PAGE_BODY: '<p>It is "$1" & more',
    });
    expect(await (await site.fetch(8080, '/')).text()).toContain('<p>It is "$1" & more');
    expect(await site.run('test-config')).toContain('test is successful');
    const upstream = `${await site.address()}:8080`;
    await behindNginx(`http://${upstream}`);
    await behindHaproxy(`server one ${upstream}\nserver two ${upstream} backup`);
    await site.checkAndRelease();
  });

  async function behindNginx(upstream: string) {
    const proxy = await deploySpecies(catalog(), 'nginx', {
      WEB_HOSTNAME: 'proxy.example.org',
      UPSTREAM: upstream,
      CACHE_MINUTES: 10,
    });
    const ask = async () => {
      const response = await proxy.fetch(8080, '/');
      expect(await response.text()).toContain('It is');
      return response.headers.get('x-cache');
    };
    // An answer is cached shortly after it was sent.
    const kept = async () => {
      expect(await ask()).toBe('MISS');
      await until(async () => (await ask()) === 'HIT', { describe: 'a cached page' });
    };
    await kept();
    await proxy.run('clear-cache');
    await kept();
    expect(await proxy.run('test-config')).toContain('test is successful');
    expect(await proxy.run('status')).toContain('Active connections:');
    await proxy.run('reload');
    expect((await proxy.container()).state).toBe('running');
    // The old workers end and close their keep-alive connections.
    await until(async () => (await ask()) === 'HIT', { describe: 'a cached page' });
    await proxy.checkAndRelease();
  }

  async function behindHaproxy(servers: string) {
    const inputs = { WEB_HOSTNAME: 'balanced.example.org', SERVERS: servers, CHECK_PATH: '/healthz', CHECK_SECONDS: 1 };
    const proxy = await deploySpecies(catalog(), 'haproxy', inputs);
    expect(await (await proxy.fetch(8080, '/')).text()).toContain('It is');
    await until(async () => /servers,one,.*,UP,/.test(await proxy.run('stats')), { describe: 'the server to be up' });
    await proxy.run('check-config');
    await proxy.checkAndRelease();
  }

  catalogTest('Caddy serves the fetched content', { timeout: 240_000 }, async () => {
    const deployed = await deploySpecies(catalog(), 'caddy', {
      WEB_HOSTNAME: 'files.example.org',
      DIRECTIVES: 'redir /old /new permanent',
    });
    expect((await deployed.fetch(8080, '/')).status).toBe(404);
    await fetchSite(deployed);
    expect(await (await deployed.fetch(8080, '/')).text()).toBe('<p>packed\n');
    const moved = await deployed.fetch(8080, '/old', { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([301, '/new']);
    expect(await deployed.run('files')).toContain('index.html');
    expect(await deployed.run('validate')).toContain('Valid configuration');
    expect(await deployed.run('adapt')).toContain('"handler": "file_server"');
    expect(await deployed.run('modules')).toContain('http.handlers.file_server');
    await deployed.checkAndRelease();
  });

  /** Serves the content from the test, on the machine's address in the instance's network. */
  async function fetchSite(deployed: DeployedSpecies) {
    await using folder = temporaryFolder('site');
    mkdirSync(join(folder.path, 'site'));
    writeFileSync(join(folder.path, 'site', 'index.html'), '<p>packed\n');
    const archive = execFileSync('tar', ['-cz', '-C', join(folder.path, 'site'), 'index.html']);
    await using server = createServer((_request, response) => response.end(archive)).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await deployed.run('fetch', { archive: `http://${neighbour(await deployed.address())}:${port}/site.tar.gz` });
  }

  /** Returns the machine's own address in the /24 of a container. */
  function neighbour(address: string): string {
    const net = address.slice(0, address.lastIndexOf('.') + 1);
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    return own.find((item) => item.address.startsWith(net))?.address ?? expect.fail(`no interface in ${net}0/24`);
  }
}
