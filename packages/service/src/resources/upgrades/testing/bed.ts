import type { Execution } from '@hortus/contract/resources/actions';
import type { UpgradeApply } from '@hortus/contract/resources/upgrades';
import { INKWELL } from '@hortus/template/inkwell.fixture';
import { until } from '@hortus/testkit/until';
import type { RunningService } from '../../../testing/running-service.ts';
import { keptAs } from '../../backups/testing/kept.ts';

/** Has a backup made before anything else: the daemon that would make it is not here, so most tests go without. */
export const withBackup = (text: string): string => text.replace('strategy: none', 'strategy: both');

/** Inkwell as a template of the account's own, so that any number of versions can be published. */
export class Bed {
  /** Another one after each restart. */
  service: RunningService;
  #number = 0;
  constructor(service: RunningService) {
    this.service = service;
  }

  async publish(version: string, edit: (text: string) => string = (text) => text): Promise<void> {
    const { client } = this.service;
    const source = edit(INKWELL.replace('strategy: both', 'strategy: none')).replace(
      'version: 1.2.0',
      `version: ${version}`,
    );
    const { id } = (await client.call('drafts.create', { body: { source } })).data;
    await client.call('drafts.validate', { params: { id } });
    await client.call('drafts.promote', { params: { id } });
  }

  /** Something that runs, on a server of its own. */
  async plant(inputs: Record<string, string> = {}, watch_seconds = 0) {
    const { client } = this.service;
    const uid = `blog-${++this.#number}`;
    const { data: server } = await client.call('servers.register', { body: { name: uid, environment: 'staging' } });
    const body = {
      species: 'inkwell',
      instance_uid: uid,
      server_id: server.id,
      watch_seconds,
      inputs: { WEB_HOSTNAME: `${uid}.example.org`, ...inputs },
    };
    const { id: definitionId } = (await client.call('definitions.create', { body })).data;
    const { id } = (await client.call('deployments.execute', { body: { definition_id: definitionId } })).data;
    await this.report(id, 'success');
    const [instance] = (await client.call('instances.list', { query: { definition_id: definitionId } })).data;
    return { definitionId, instanceId: instance?.id ?? '', serverId: server.id, serverKey: server.api_key };
  }

  /** What its daemon would say. */
  report(id: string, status: 'success' | 'failed', more = {}) {
    return this.service.client.call('deployments.status', { params: { id }, body: { status, ...more } });
  }

  /** The newest order of a kind on an instance, once there is one that has not ended. */
  async ordered(instanceId: string, slug: string): Promise<Execution> {
    const find = async () =>
      (await this.service.client.call('actions.history', { params: { id: instanceId }, query: { slug } })).data.find(
        ({ finished_at }) => finished_at === null,
      );
    return await until(find, { describe: `an order of ${slug}`, within: 20_000 });
  }

  /** What its daemon would say of the end of an order about backups. */
  async settle(instanceId: string, slug: string, end: { error: string } | { revision: number; kind?: 'dump' }) {
    const { client, handOver } = this.service;
    const execution = await this.ordered(instanceId, slug);
    await handOver(execution.id);
    const params = { execution_id: execution.id };
    if ('error' in end) {
      await client.call('actions.report', { params, body: { status: 'failed', error: end.error } });
      return execution;
    }
    const field = slug === 'hortus.backup' ? 'backup_id' : 'safety_backup_id';
    const backup = (await client.call('backups.read', { params: { id: String(execution.params[field]) } })).data;
    const kept = keptAs(backup, end);
    const result = slug === 'hortus.backup' ? kept : { safety: kept };
    await client.call('actions.report', { params, body: { status: 'completed', result } });
    return execution;
  }

  /** What the daemon of a server may take. */
  async offered(serverKey: string): Promise<string[]> {
    const { json } = await this.service.request('GET', '/deployments/pending', { key: serverKey });
    return json.data.map(({ id }: { id: string }) => id);
  }

  /** The upgrade of an instance, once it is known. */
  async upgradeOf(instance_id: string): Promise<string> {
    const find = async () =>
      (await this.service.client.call('upgrades.list', { query: { instance_id } })).data.find(
        ({ status }) => status === 'available',
      );
    return (await until(find, { describe: 'an upgrade' })).id;
  }

  apply(id: string, body: UpgradeApply = {}) {
    return this.service.request('POST', `/upgrades/${id}/apply`, { body });
  }

  async read(id: string) {
    return (await this.service.client.call('upgrades.read', { params: { id } })).data;
  }

  /** Waits until it has ended, or is at a step. */
  until(id: string, word: string) {
    const look = async () => {
      const upgrade = await this.read(id);
      return upgrade.status === word || upgrade.step === word ? upgrade : undefined;
    };
    return until(look, { describe: `${id} to be ${word}` });
  }

  async definition(id: string) {
    return (await this.service.client.call('definitions.read', { params: { id } })).data;
  }
}
