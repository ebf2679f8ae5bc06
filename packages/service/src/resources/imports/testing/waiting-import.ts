import type { Bundle } from '@hortus/contract/resources/imports';
import { specHash } from '@hortus/template/canonical/canonical';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import type { RunningService } from '../../../testing/running-service.ts';
import { openTwoAccounts } from './two-accounts.ts';

const volumes = [
  { kind: 'volume', name: 'uploads' },
  { kind: 'volume', name: 'dbdata' },
] as const;

/**
 * Opens two accounts and a bundle whose volumes are never sent, so that its import waits. The second account does not
 * know its template.
 */
export async function openWaitingImport(installation: RunningService) {
  const accounts = await openTwoAccounts(installation);
  const { define, kept, take, there } = accounts;
  const id = await define();
  const { bundle } = await take(id, (await kept(id, volumes)).id);
  /** Copies the bundle with another species, so that its import cannot clash with existing templates. */
  const bundleOf = (version = '9.9.9', more: Partial<Bundle> = {}): Bundle => {
    const spec = { ...bundle.template.spec, slug: 'imported', version } as unknown as Canonical;
    const template = { species: 'imported', version, spec_hash: specHash(spec), spec: { ...spec } };
    return { ...bundle, template: template as unknown as Bundle['template'], ...more };
  };
  /** Lists the published versions in the second account. */
  const versionsOfTemplate = async () => {
    const query = { species: 'imported', versions: 'all' } as const;
    return (await there.client.call('templates.list', { query })).data.map(({ version }) => version);
  };
  const become = (versions: readonly string[]) =>
    until(async () => (await versionsOfTemplate()).join() === versions.join(), {
      describe: `the versions of the template to be ${versions}`,
    });
  const draft = async (version?: string) => {
    const { spec } = bundleOf(version).template;
    return (await there.client.call('drafts.create', { body: { spec } })).data.id;
  };
  const publish = async (version?: string) => {
    const params = { id: await draft(version) };
    await there.client.call('drafts.validate', { params });
    await there.client.call('drafts.promote', { params });
  };
  const defineFromTemplate = async (uid: string) => {
    const inputs = { WEB_HOSTNAME: `${uid}.example.org`, SMTP_PASSWORD: 'hunter2hunter2' };
    const body = { species: 'imported', instance_uid: uid, server_id: there.serverId, inputs };
    return (await there.client.call('definitions.create', { body })).data.id;
  };
  const cancel = async (importId: string) => {
    const { data } = await there.client.call('imports.cancel', { params: { id: importId } });
    expect(data).toMatchObject({ status: 'failed', reason: 'cancelled' });
  };
  return { ...accounts, bundleOf, versionsOfTemplate, become, draft, publish, defineFromTemplate, cancel };
}
