import type { InputValue } from '@hortus/contract/template/inputs';
import type { Manifest } from '@hortus/contract/template/manifest';
import type { ContainerFacts } from '@hortus/daemon/engine/container-facts';
import { openKeyPair } from '@hortus/daemon/journal/key-pair';
import { manifestContext } from '@hortus/template/sealing/contexts';
import { openFields } from '@hortus/template/sealing/sealed-fields';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { deploy, ended, finished } from '../docker/installation.ts';
import { clientOf } from '../service-process.ts';
import type { CatalogInstallation } from './catalog-installation.ts';
import { checkSmoke } from './smoke.ts';

/** A deployed species. */
export class DeployedSpecies {
  readonly #catalogInstallation: CatalogInstallation;
  readonly #ran = new Set<string>();
  readonly uid: string;
  readonly instanceId: string;
  readonly definitionId: string;
  readonly manifest: Manifest;

  constructor(
    catalogInstallation: CatalogInstallation,
    {
      uid,
      instanceId,
      definitionId,
      manifest,
    }: Pick<DeployedSpecies, 'uid' | 'instanceId' | 'definitionId' | 'manifest'>,
  ) {
    this.#catalogInstallation = catalogInstallation;
    this.uid = uid;
    this.instanceId = instanceId;
    this.definitionId = definitionId;
    this.manifest = manifest;
  }

  /** Returns the attributes it provides for a class; default is its first class. */
  provided(name = this.manifest.provides[0]?.class): Record<string, string> {
    return this.manifest.provides.find((provide) => provide.class === name)?.attributes ?? {};
  }

  /** Runs an action like a user and returns its output. */
  async run(slug: string, params: Record<string, InputValue> = {}): Promise<string> {
    const { installation } = this.#catalogInstallation;
    const order = { params: { id: this.instanceId, slug }, body: { params } };
    const { execution } = await installation.service.client.call('actions.execute', order);
    const end = await ended(installation, execution.id);
    expect(end, `${this.uid}: ${slug}: ${end.error}\n${end.output}`).toMatchObject({ status: 'completed' });
    this.#ran.add(slug);
    return end.output ?? '';
  }

  /** Reveals a generated secret like a user. */
  async secret(name: string): Promise<string> {
    const { client } = this.#catalogInstallation.installation.service;
    return (await client.call('vault.reveal', { params: { id: this.definitionId, name } })).data.value;
  }

  async container(component?: string): Promise<ContainerFacts> {
    const primary = { 'hortus.instance': this.uid, 'hortus.primary': 'true' };
    const labels = component === undefined ? primary : { 'hortus.instance': this.uid, 'hortus.component': component };
    const [found] = await this.#catalogInstallation.engine.containers({ labels });
    return found ?? expect.fail(`${this.uid} has no container ${component ?? ''}`);
  }

  async address(component?: string): Promise<string> {
    return (await this.container(component)).networks[0]?.address ?? '';
  }

  async fetch(port: number, path: string, init?: RequestInit): Promise<Response> {
    return await fetch(`http://${await this.address()}:${port}${path}`, init);
  }

  /** Runs a command in the container through the engine, bypassing Hortus; returns output and exit code. */
  async try(...argv: string[]): Promise<{ code: number | undefined; text: string }> {
    const command = await this.#catalogInstallation.engine.exec((await this.container()).id, { argv });
    let text = '';
    for await (const { chunk } of command.output) text += chunk;
    return { code: (await command.inspect()).exitCode, text };
  }

  async say(...argv: string[]): Promise<string> {
    const { code, text } = await this.try(...argv);
    expect(code, `${this.uid}: ${argv.join(' ')}:\n${text}`).toBe(0);
    return text.trim();
  }

  async put(path: string, content: string): Promise<void> {
    await this.#catalogInstallation.engine.putFiles((await this.container()).id, [{ path, mode: '0644', content }]);
  }

  /**
   * Checks that every action was run and the smoke tests pass, then releases it and checks that nothing is left. `notHere` lists
   * actions that cannot run in a test, because they need an image or a network that it lacks.
   */
  async checkAndRelease(notHere: readonly string[] = []): Promise<void> {
    expect([...this.#ran, ...notHere].sort()).toEqual(this.manifest.actions.map(({ slug }) => slug).sort());
    for (const test of this.manifest.smoke) await checkSmoke(this, test);
    await this.release();
  }

  /** Releases it with its volumes and checks that nothing is left. */
  async release(): Promise<void> {
    const { installation, engine } = this.#catalogInstallation;
    const stores = this.manifest.components.flatMap(({ storage }) => storage);
    const critical = stores.filter(({ critical: isCritical, volume }) => isCritical && volume).map(({ name }) => name);
    const body = { remove_volumes: true, confirm: [...new Set(critical)] };
    const { execution } = await installation.service.client.call('instances.release', {
      params: { id: this.instanceId },
      body,
    });
    expect(await ended(installation, execution.id)).toMatchObject({ status: 'completed' });
    const labels = { 'hortus.instance': this.uid };
    expect(await engine.containers({ labels })).toEqual([]);
    expect(await engine.volumes({ labels })).toEqual([]);
    const { data } = await installation.service.client.call('instances.read', { params: { id: this.instanceId } });
    expect(data).toMatchObject({ status: 'released' });
  }
}

/**
 * The service ends a deployment without progress after 10 minutes. A shorter limit here would fail what is only slow: on a
 * busy machine the schema migrations of Redmine alone take minutes.
 */
const DEADLINE_MS = 600_000;

/** Deploys a species with its unchanged template and waits until it is healthy. */
export async function deploySpecies(
  catalogInstallation: CatalogInstallation,
  species: string,
  inputs: Record<string, InputValue> = {},
  uid = species,
): Promise<DeployedSpecies> {
  const { installation } = catalogInstallation;
  const { client } = installation.service;
  const body = { species, instance_uid: uid, server_id: installation.serverId, inputs };
  const { data: definition } = await client.call('definitions.create', { body });
  const outcome = await finished(installation, await deploy(installation, definition.id), DEADLINE_MS);
  const log = outcome.logs.map(({ message }) => message).join('\n');
  expect(outcome, `${outcome.error}\n${log}`).toMatchObject({ status: 'success' });
  const [id, definitionId] = [outcome.instance_id ?? '', definition.id];
  const read = async () => (await client.call('instances.read', { params: { id } })).data;
  await until(async () => (await read()).health === 'healthy', { describe: `${uid} to be healthy` });
  expect(await read()).toMatchObject({ status: 'running' });
  const manifest = await manifestOf(installation, definition.id);
  return new DeployedSpecies(catalogInstallation, { uid, instanceId: id, definitionId, manifest });
}

/** Reads the manifest with its secrets, like the daemon of the server. */
async function manifestOf(installation: CatalogInstallation['installation'], definitionId: string) {
  const { publicKey, privateKey } = openKeyPair(installation.stateOf());
  const query = { definition_id: definitionId, sealing_key: publicKey };
  const { data } = await clientOf(installation.service.base, installation.serverKey).call('manifest.read', { query });
  return openFields(data, privateKey, manifestContext(data));
}
