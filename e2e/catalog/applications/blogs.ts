import { expect } from 'vitest';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { deploySpecies } from '../deployed-species.ts';
import { survivesLoss } from '../loss.ts';
import { upgrades } from '../upgrade.ts';
import { Visitor } from '../visitor.ts';

export function blogs(catalog: Catalog): void {
  catalogTest('WordPress keeps posts and uploads after a loss and an upgrade', { timeout: 600_000 }, async () => {
    const deployed = await deploySpecies(catalog(), 'wordpress', { WEB_HOSTNAME: 'www.example.org' });
    const visitor = new Visitor(deployed);
    const password = 'one garden, many beds';
    const installed = await visitor.post('/wp-admin/install.php?step=2', {
      weblog_title: 'Beds & borders',
      user_name: 'gardener',
      admin_password: password,
      admin_password2: password,
      admin_email: 'gardener@example.org',
      blog_public: '0',
    });
    expect(installed.text).toContain('Success!');
    await visitor.get('/wp-login.php');
    await visitor.post('/wp-login.php', { log: 'gardener', pwd: password, testcookie: '1' });
    const { text: nonce } = await visitor.get('/wp-admin/admin-ajax.php?action=rest-nonce');
    const rest = async (method: string, path: string, body: string | Buffer<ArrayBuffer>, headers = {}) => {
      const response = await visitor.send(method, `/?rest_route=/wp/v2/${path}`, body, {
        'x-wp-nonce': nonce,
        ...headers,
      });
      expect(response.status, response.text).toBeLessThan(300);
      return JSON.parse(response.text);
    };
    const post = await rest(
      'POST',
      'posts',
      JSON.stringify({ title: 'Sowing', content: 'In March.', status: 'publish' }),
    );
    const image = Buffer.from('R0lGODlhAQABAAAAACw=', 'base64');
    const upload = { 'content-type': 'image/gif', 'content-disposition': 'attachment; filename="seed.gif"' };
    const media = await rest('POST', 'media', image, upload);
    const { pathname } = new URL(media.source_url);

    const read = async () => {
      const page = await visitor.get(`/?p=${post.id}`);
      const file = await visitor.get(pathname);
      const [, title] = /<title>(.*?)<\/title>/.exec(page.text) ?? [];
      return `${page.status} ${title} ${page.text.includes('In March.')} ${file.status} ${file.text.slice(0, 6)}`;
    };
    expect(await read()).toBe('200 Sowing &#8211; Beds &amp; borders true 200 GIF89a');
    const change = async () => {
      await rest('DELETE', `posts/${post.id}&force=true`, '{}');
      await rest('DELETE', `media/${media.id}&force=true`, '{}');
      expect(await read()).toContain('404');
    };
    const backup = await survivesLoss(catalog(), deployed, { read, change });
    expect(backup.parts.map(({ kind }) => kind).sort()).toEqual(['dump', 'volume']);

    const before = await read();
    await upgrades(catalog(), deployed);
    expect(await read()).toBe(before);
    // The other actions run wp-cli, which Debian does not have.
    const missing = deployed.manifest.actions.map(({ slug }) => slug).filter((slug) => slug !== 'db-dump');
    expect(await deployed.run('db-dump')).toContain('wp_posts');
    await deployed.checkAndRelease(missing);
  });
}
