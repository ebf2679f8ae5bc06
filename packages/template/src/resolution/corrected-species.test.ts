import type { Manifest } from '@hortus/contract/template/manifest';
import { describe, expect, it } from 'vitest';
import { readSpecies, resolvedSpecies } from '../testing/resolved-species.ts';
import { compareForUpgrade } from '../upgrade/compare.ts';

const mail = { host: 'smtp.example.org', port: '587', username: 'u', password: 'p', from: 'a@example.org' };

const component = ({ components }: Manifest, name: string) => {
  const found = components.find((component) => component.name === name);
  if (!found) throw new Error(`There is no component ${name}.`);
  return found;
};

/** What a comparison with the applications themselves found wrong, each as the promise that holds now. */
describe('a species that upstream contradicted', () => {
  it('Portainer trusts a URL with a scheme and without a path, or it would not start', async () => {
    const manifest = await resolvedSpecies(await readSpecies('development/portainer'));
    const origin = component(manifest, 'main').env.TRUSTED_ORIGINS ?? '';
    const url = new URL(origin);
    expect([url.protocol, url.origin]).toEqual(['https:', origin]);
    expect(origin).toBe(manifest.routes[0]?.url);
  });

  it.each([
    ['without mail', {}, 'false'],
    ['with a mail server of its own', { inputs: { SEND_MAIL: true, SMTP_HOST: 'smtp.example.org' } }, 'true'],
    ['with a bound mail server', { needs: { mail } }, 'true'],
  ])('Ghost %s asks for codes from mails only if it can send them', async (_, choices, verified) => {
    const manifest = await resolvedSpecies(await readSpecies('blog/ghost'), choices);
    const { env } = component(manifest, 'app');
    expect(env.security__staffDeviceVerification).toBe(verified);
    expect(env.mail__transport ?? 'none').toBe(verified === 'true' ? 'SMTP' : 'none');
  });

  it('Nextcloud gives its background jobs the mail server and the address of the application', async () => {
    const manifest = await resolvedSpecies(await readSpecies('file_sharing/nextcloud'), { needs: { mail } });
    const cron = component(manifest, 'cron');
    expect(cron.env).toEqual(component(manifest, 'app').env);
    expect(cron.env).toMatchObject({
      SMTP_HOST: 'smtp.example.org',
      MAIL_FROM_ADDRESS: 'cloud',
      MAIL_DOMAIN: expect.stringContaining('.'),
      OVERWRITECLIURL: manifest.routes[0]?.url,
    });
    // It runs as www-data and never changes users.
    expect(cron.capabilities?.add ?? []).toEqual([]);
  });

  it('Keycloak names the program of its recovery action, because a job has no entry point', async () => {
    const { actions } = await resolvedSpecies(await readSpecies('identity/keycloak'));
    const recovery = actions.find(({ slug }) => slug === 'bootstrap-admin');
    expect(recovery).toMatchObject({ type: 'job', component: 'app' });
    expect(recovery?.command?.slice(0, 3)).toEqual(['/opt/keycloak/bin/kc.sh', 'bootstrap-admin', 'user']);
  });

  it('Discourse takes the address of the visitor from the ingress before it limits requests', async () => {
    const manifest = await resolvedSpecies(await readSpecies('forum/discourse'));
    const file = component(manifest, 'app').files.find(({ mount_path }) => mount_path.includes('/outlets/server/'));
    const lines = (file?.content ?? '').trim().split('\n');
    expect(lines).toEqual(expect.arrayContaining(['real_ip_header X-Forwarded-For;', 'real_ip_recursive on;']));
    const trusted = lines.filter((line) => line.startsWith('set_real_ip_from '));
    expect(trusted).toEqual([
      'set_real_ip_from 10.0.0.0/8;',
      'set_real_ip_from 172.16.0.0/12;',
      'set_real_ip_from 192.168.0.0/16;',
      'set_real_ip_from fc00::/7;',
    ]);
  });

  it('Supabase keeps saved queries in a volume, which is backed up', async () => {
    const spec = await readSpecies('development/supabase');
    const studio = component(await resolvedSpecies(spec), 'studio');
    const folder = studio.env.SNIPPETS_MANAGEMENT_FOLDER;
    expect(studio.storage.find(({ mount_path }) => mount_path === folder)).toMatchObject({ name: 'snippets' });
    expect(spec.backup.volumes).toContainEqual({ name: 'snippets', critical: true });
  });
});

describe('a smaller correction', () => {
  it('Stirling PDF shows the chosen name', async () => {
    const manifest = await resolvedSpecies(await readSpecies('documents/stirling-pdf'), {
      inputs: { APP_NAME: 'Scissors' },
    });
    expect(component(manifest, 'main').env.UI_APPNAMENAVBAR).toBe('Scissors');
  });

  it('BookStack offers no upload that its image would cut off', async () => {
    const { inputs } = await readSpecies('documentation/bookstack');
    expect(inputs.optional.find(({ name }) => name === 'UPLOAD_MB')?.max).toBe(100);
  });

  it('CouchDB keeps the identity that replications depend on', async () => {
    const spec = await readSpecies('database/couchdb');
    const [file] = component(await resolvedSpecies(spec), 'main').files;
    expect(file?.content).toMatch(/^uuid = [0-9a-f]{32}$/m);
  });

  it.each([
    [true, /^admin:[A-Za-z0-9]{32}$/],
    [false, /^$/],
  ])('Stalwart accepts the generated password if that is %s', async (isOn, expected) => {
    const spec = await readSpecies('email/stalwart');
    const manifest = await resolvedSpecies(spec, { inputs: { RECOVERY_ADMIN: isOn } });
    expect(component(manifest, 'main').env.STALWART_RECOVERY_ADMIN ?? '').toMatch(expected);
  });
});

describe('an upgrade that would lose old data', () => {
  it.each([
    ['project_management/plane', '1.0.1', '2.0.0', /RustFS.*MinIO/],
    ['development/budibase', '1.0.0', '2.0.0', /RustFS.*MinIO/],
    ['learning/moodle', '1.0.2', '2.0.0', /another image/],
    ['database/baserow', '1.0.1', '1.1.0', /PostgreSQL 11/],
  ])('of %s from %s is refused with what to do instead; one from %s is not', async (folder, old, taken, reason) => {
    const spec = await readSpecies(folder);
    const from = (version: string) =>
      compareForUpgrade({ ...spec, version }, spec, { profile: 'development', inputs: {}, held: [] });
    const { conflicts, refusal } = from(old);
    expect(conflicts).toMatchObject([{ field: 'version', reason: 'refused' }]);
    expect(refusal?.reason).toMatch(reason);
    expect(refusal?.instead).toContain('Create a new instance.');
    expect(from(taken)).toMatchObject({ conflicts: [], refusal: undefined });
    // Not only after the deployment.
    expect(spec.notes).not.toMatch(/version 2 of this template|older version/);
  });
});
