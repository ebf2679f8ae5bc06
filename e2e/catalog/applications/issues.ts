import { expect } from 'vitest';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { deploySpecies } from '../deployed-species.ts';
import { survivesLoss } from '../loss.ts';
import { upgrades } from '../upgrade.ts';
import { Visitor } from '../visitor.ts';

export function issues(catalog: Catalog): void {
  catalogTest('Redmine keeps issues and attachments after a loss and an upgrade', { timeout: 900_000 }, async () => {
    const deployed = await deploySpecies(catalog(), 'redmine', { WEB_HOSTNAME: 'projects.example.org' });
    await deployed.run('load-defaults');
    const visitor = new Visitor(deployed);
    const token = (path: string) => visitor.field(path, 'authenticity_token');
    const signIn = { username: 'admin', password: await deployed.secret('ADMIN_PASSWORD') };
    const home = await visitor.post('/login', { ...signIn, authenticity_token: await token('/login') });
    expect(home.text).toContain('/logout');

    const project = { 'project[name]': 'Garden', 'project[identifier]': 'garden', 'project[tracker_ids][]': '1' };
    const made = await visitor.post('/projects', {
      ...project,
      'project[enabled_module_names][]': 'issue_tracking',
      authenticity_token: await token('/projects/new'),
    });
    expect(made.text).toContain('Successful creation');
    const csrf = await token('/projects/garden/issues/new');
    const content = new TextEncoder().encode('sow in March');
    const headers = { 'content-type': 'application/octet-stream', 'x-csrf-token': csrf };
    const stored = await visitor.send('POST', '/uploads.js?attachment_id=1&filename=seeds.txt', content, headers);
    const [, attachment = ''] = /val\('(\d+\.[0-9a-f]+)'\)/.exec(stored.text) ?? expect.fail(stored.text);
    const issue = await visitor.post('/projects/garden/issues', {
      'issue[tracker_id]': '1',
      'issue[subject]': 'Water the mint',
      'issue[priority_id]': await priority(),
      'attachments[1][filename]': 'seeds.txt',
      'attachments[1][token]': attachment,
      authenticity_token: csrf,
    });
    expect(issue.text).toContain('Water the mint');

    async function priority(): Promise<string> {
      const { text } = await visitor.get('/projects/garden/issues/new');
      return /<option[^>]*selected="selected"[^>]*value="(\d+)">Normal/.exec(text)?.[1] ?? expect.fail(text);
    }
    const read = async () => {
      const { status, text } = await visitor.get('/issues/1');
      const file = await visitor.get('/attachments/download/1/seeds.txt');
      return `${status} ${/class="subject">\s*<div><h3>(.*?)<\/h3>/.exec(text)?.[1]} ${file.status} ${file.text}`;
    };
    expect(await read()).toBe('200 Water the mint 200 sow in March');
    const change = async () => {
      const gone = { _method: 'delete', authenticity_token: await token('/projects/garden/issues/new') };
      await visitor.post('/issues/1', gone);
      expect(await read()).toContain('404');
    };
    await survivesLoss(catalog(), deployed, { read, change });
    await upgrades(catalog(), deployed);
    expect(await read()).toBe('200 Water the mint 200 sow in March');
    await deployed.run('set-password', { login: 'admin', password: 'one garden, many beds' });
    await deployed.run('prune-attachments');
    expect(await deployed.run('db-dump')).toContain('CREATE TABLE public.issues');
    await deployed.checkAndRelease(['test-mail']);
  });
}
