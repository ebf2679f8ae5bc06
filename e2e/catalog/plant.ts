import type { InputValue } from '@hortus/contract/template/inputs';
import type { Manifest } from '@hortus/contract/template/manifest';
import type { ContainerFacts } from '@hortus/daemon/engine/container-facts';
import { openKeyPair } from '@hortus/daemon/trust/key-pair';
import { manifestContext } from '@hortus/template/sealing/contexts';
import { openFields } from '@hortus/template/sealing/sealed-fields';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { deploy, ended, finished } from '../docker/garden.ts';
import { clientOf } from '../service-process.ts';
import type { Greenhouse } from './greenhouse.ts';
import { checkSmoke } from './smoke.ts';

/** One species, deployed. */
export class Plant {
  readonly #house: Greenhouse;
  readonly #ran = new Set<string>();
  readonly uid: string;
  readonly instanceId: string;
  readonly manifest: Manifest;

  constructor(house: Greenhouse, uid: string, instanceId: string, manifest: Manifest) {
    this.#house = house;
    this.uid = uid;
    this.instanceId = instanceId;
    this.manifest = manifest;
  }

  /** What it tells those who need it, of its first class unless another is named. */
  provided(name = this.manifest.provides[0]?.class): Record<string, string> {
    return this.manifest.provides.find((one) => one.class === name)?.attributes ?? {};
  }

  /** Runs an action as a user does and answers what it wrote. */
  async run(slug: string, params: Record<string, InputValue> = {}): Promise<string> {
    const { garden } = this.#house;
    const order = { params: { id: this.instanceId, slug }, body: { params } };
    const { execution } = await garden.service.client.call('actions.execute', order);
    const end = await ended(garden, execution.id);
    expect(end, `${this.uid}: ${slug}: ${end.error}\n${end.output}`).toMatchObject({ status: 'completed' });
    this.#ran.add(slug);
    return end.output ?? '';
  }

  async container(component?: string): Promise<ContainerFacts> {
    const primary = { 'hortus.instance': this.uid, 'hortus.primary': 'true' };
    const labels = component === undefined ? primary : { 'hortus.instance': this.uid, 'hortus.component': component };
    const [found] = await this.#house.engine.containers({ labels });
    return found ?? expect.fail(`${this.uid} has no container ${component ?? ''}`);
  }

  async address(component?: string): Promise<string> {
    return (await this.container(component)).networks[0]?.address ?? '';
  }

  async fetch(port: number, path: string, init?: RequestInit): Promise<Response> {
    return await fetch(`http://${await this.address()}:${port}${path}`, init);
  }

  /** A command in the container, asked of the engine and not of Hortus; what it wrote, with its exit code. */
  async try(...argv: string[]): Promise<{ code: number | undefined; text: string }> {
    const command = await this.#house.engine.exec((await this.container()).id, { argv });
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
    await this.#house.engine.putFiles((await this.container()).id, [{ path, mode: '0644', content }]);
  }

  /** Every action was run, the deploy test passes, and nothing is left after the release. */
  async harvest(): Promise<void> {
    expect([...this.#ran].sort()).toEqual(this.manifest.actions.map(({ slug }) => slug).sort());
    for (const test of this.manifest.smoke) await checkSmoke(this, test);
    const { garden, engine } = this.#house;
    const stores = this.manifest.components.flatMap(({ storage }) => storage);
    const critical = stores.filter(({ critical: isCritical, volume }) => isCritical && volume).map(({ name }) => name);
    const body = { remove_volumes: true, confirm: [...new Set(critical)] };
    const { execution } = await garden.service.client.call('instances.release', {
      params: { id: this.instanceId },
      body,
    });
    expect(await ended(garden, execution.id)).toMatchObject({ status: 'completed' });
    const labels = { 'hortus.instance': this.uid };
    expect(await engine.containers({ labels })).toEqual([]);
    expect(await engine.volumes({ labels })).toEqual([]);
    const { data } = await garden.service.client.call('instances.read', { params: { id: this.instanceId } });
    expect(data).toMatchObject({ status: 'released' });
  }
}

/** Deploys a species with its template as it is, and waits until it is healthy. */
export async function grow(
  house: Greenhouse,
  species: string,
  inputs: Record<string, InputValue> = {},
): Promise<Plant> {
  const { garden } = house;
  const { client } = garden.service;
  const body = { species, instance_uid: species, server_id: garden.serverId, inputs };
  const { data: definition } = await client.call('definitions.create', { body });
  const outcome = await finished(garden, await deploy(garden, definition.id), 180_000);
  const log = outcome.logs.map(({ message }) => message).join('\n');
  expect(outcome, `${outcome.error}\n${log}`).toMatchObject({ status: 'success' });
  const id = outcome.instance_id ?? '';
  const read = async () => (await client.call('instances.read', { params: { id } })).data;
  await until(async () => (await read()).health === 'healthy', { describe: `${species} to be healthy` });
  expect(await read()).toMatchObject({ status: 'running' });
  const manifest = await manifestOf(garden, definition.id);
  return new Plant(house, species, id, manifest);
}

/** Reads the manifest with its secrets, which the checks sign in with, as the daemon of the server does. */
async function manifestOf(garden: Greenhouse['garden'], definitionId: string) {
  const { publicKey, privateKey } = openKeyPair(garden.stateOf());
  const query = { definition_id: definitionId, sealing_key: publicKey };
  const { data } = await clientOf(garden.service.base, garden.serverKey).call('manifest.read', { query });
  return openFields(data, privateKey, manifestContext(data));
}
