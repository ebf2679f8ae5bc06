import { expect } from 'vitest';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { deploySpecies } from '../deployed-species.ts';
import { survivesLoss } from '../loss.ts';
import { upgrades } from '../upgrade.ts';
import { Visitor } from '../visitor.ts';

export function wikis(catalog: Catalog): void {
  catalogTest('MediaWiki keeps pages and files after a loss and an upgrade', { timeout: 900_000 }, async () => {
    const deployed = await deploySpecies(catalog(), 'mediawiki', { WEB_HOSTNAME: 'wiki.example.org' });
    const visitor = new Visitor(deployed);
    const api = async (fields: Record<string, string> | FormData) => {
      const response =
        fields instanceof FormData
          ? await visitor.send('POST', '/api.php', fields)
          : await visitor.post('/api.php', { format: 'json', ...fields });
      expect(response.status, response.text).toBe(200);
      return JSON.parse(response.text);
    };
    const token = async (type: string) =>
      Object.values((await api({ action: 'query', meta: 'tokens', type })).query.tokens)[0] as string;
    const signedIn = await api({
      action: 'login',
      lgname: 'Admin',
      lgpassword: await deployed.secret('ADMIN_PASSWORD'),
      lgtoken: await token('login'),
    });
    expect(signedIn).toMatchObject({ login: { result: 'Success' } });
    const text = "Sow in '''March'''.";
    const edited = await api({ action: 'edit', title: 'Mint', text, token: await token('csrf') });
    expect(edited).toMatchObject({ edit: { result: 'Success' } });
    const form = new FormData();
    const fields = {
      format: 'json',
      action: 'upload',
      filename: 'Seed.gif',
      ignorewarnings: '1',
      token: await token('csrf'),
    };
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const picture = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64');
    form.set('file', new Blob([picture], { type: 'image/gif' }), 'Seed.gif');
    const uploaded = await api(form);
    expect(uploaded, JSON.stringify(uploaded)).toMatchObject({ upload: { result: 'Success' } });
    const { pathname } = new URL(uploaded.upload.imageinfo.url);

    const read = async () => {
      const page = await visitor.get('/wiki/Mint');
      const file = await visitor.get(pathname);
      return `${page.status} ${/Sow in <b>.*?<\/b>/.exec(page.text)?.[0]} ${file.status} ${file.text.slice(0, 6)}`;
    };
    expect(await read()).toBe('200 Sow in <b>March</b> 200 GIF89a');
    const change = async () => {
      await api({ action: 'delete', title: 'Mint', token: await token('csrf') });
      await api({ action: 'delete', title: 'File:Seed.gif', token: await token('csrf') });
      expect(await read()).toContain('404');
    };
    await survivesLoss(catalog(), deployed, { read, change });
    await upgrades(catalog(), deployed);
    expect(await read()).toBe('200 Sow in <b>March</b> 200 GIF89a');

    await deployed.run('create-admin', { username: 'Gardener', password: 'one garden, many beds' });
    await deployed.run('set-password', { username: 'Gardener', password: 'another garden, fewer beds' });
    expect(await deployed.run('export-xml')).toContain('Sow in');
    for (const slug of ['rebuild', 'run-jobs', 'db-dump']) await deployed.run(slug);
    await deployed.checkAndRelease();
  });
}
