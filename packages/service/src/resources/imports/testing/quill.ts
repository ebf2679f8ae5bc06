import type { Bundle } from '@hortus/contract/resources/imports';
import { specHash } from '@hortus/template/canonical';
import type { Canonical } from '@hortus/template/canonical-form';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import type { Engine } from '../../../testing/engines.ts';
import { openTwoHouses } from './two-houses.ts';

const volumes = [
  { kind: 'volume', name: 'uploads' },
  { kind: 'volume', name: 'dbdata' },
] as const;

/** Two houses, and a bundle whose volumes nobody sends, so that its import waits; its template is unknown in the second. */
export async function openWithQuill(engine: Engine) {
  const houses = await openTwoHouses(engine);
  const { define, kept, take, there } = houses;
  const id = await define();
  const { bundle } = await take(id, (await kept(id, volumes)).id);
  /** The same under another name; what is brought in from it never clashes with what is there. */
  const quill = (version = '9.9.9', more: Partial<Bundle> = {}): Bundle => {
    const spec = { ...bundle.template.spec, slug: 'quill', version } as unknown as Canonical;
    const template = { species: 'quill', version, spec_hash: specHash(spec), spec: { ...spec } };
    return { ...bundle, template: template as unknown as Bundle['template'], ...more };
  };
  /** Its versions in the second house, drafts aside. */
  const quills = async () => {
    const query = { species: 'quill', versions: 'all' } as const;
    return (await there.client.call('templates.list', { query })).data.map(({ version }) => version);
  };
  const become = (versions: readonly string[]) =>
    until(async () => (await quills()).join() === versions.join(), { describe: `the quills to be ${versions}` });
  const draft = async (version?: string) => {
    const { spec } = quill(version).template;
    return (await there.client.call('drafts.create', { body: { spec } })).data.id;
  };
  const publish = async (version?: string) => {
    const params = { id: await draft(version) };
    await there.client.call('drafts.validate', { params });
    await there.client.call('drafts.promote', { params });
  };
  const plant = async (uid: string) => {
    const inputs = { WEB_HOSTNAME: `${uid}.example.org`, SMTP_PASSWORD: 'hunter2hunter2' };
    const body = { species: 'quill', instance_uid: uid, server_id: there.serverId, inputs };
    return (await there.client.call('definitions.create', { body })).data.id;
  };
  const cancel = async (importId: string) => {
    const { data } = await there.client.call('imports.cancel', { params: { id: importId } });
    expect(data).toMatchObject({ status: 'failed', reason: 'cancelled' });
  };
  return { ...houses, quill, quills, become, draft, publish, plant, cancel };
}
