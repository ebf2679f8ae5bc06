import type { Execution } from '@hortus/contract/resources/actions';
import type { UpgradeApply } from '@hortus/contract/resources/upgrades';
import { INKWELL } from '@hortus/template/testing/inkwell';
import { until } from '@hortus/testkit/until';
import type { RunningService } from '../../../testing/running-service.ts';
import { backupResult } from '../../backups/testing/backup-result.ts';

/** Makes upgrades start with a backup. Most tests have none, because they run without a daemon. */
export const withBackup = (text: string): string => text.replace('strategy: none', 'strategy: both');

/** Inkwell as a private template of the account, so that a test can publish any number of versions. */
export class VersionedTemplate {
  /** Replaced after each restart. */
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

  /** Deploys the template to a new server. */
  async deploy(inputs: Record<string, string> = {}, watch_seconds = 0) {
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

  /** Reports the end of a deployment as its daemon would. */
  report(id: string, status: 'success' | 'failed', more = {}) {
    return this.service.client.call('deployments.status', { params: { id }, body: { status, ...more } });
  }

  /** Waits for an unfinished execution of an action and returns it. */
  async ordered(instanceId: string, slug: string): Promise<Execution> {
    const find = async () =>
      (await this.service.client.call('actions.history', { params: { id: instanceId }, query: { slug } })).data.find(
        ({ finished_at }) => finished_at === null,
      );
    return await until(find, { describe: `an order of ${slug}`, within: 20_000 });
  }

  /** Reports the end of a backup or restore as its daemon would. */
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
    const kept = backupResult(backup, end);
    const result = slug === 'hortus.backup' ? kept : { safety: kept };
    await client.call('actions.report', { params, body: { status: 'completed', result } });
    return execution;
  }

  /** Lists the deployments offered to the daemon of a server. */
  async offered(serverKey: string): Promise<string[]> {
    const { json } = await this.service.request('GET', '/deployments/pending', { key: serverKey });
    return json.data.map(({ id }: { id: string }) => id);
  }

  /** Waits for an available upgrade of an instance. */
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

  /** Waits for a status or a step. */
  until(id: string, word: string) {
    const poll = async () => {
      const upgrade = await this.read(id);
      return upgrade.status === word || upgrade.step === word ? upgrade : undefined;
    };
    return until(poll, { describe: `${id} to be ${word}` });
  }

  async definition(id: string) {
    return (await this.service.client.call('definitions.read', { params: { id } })).data;
  }
}
