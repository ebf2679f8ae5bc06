import { randomBytes } from 'node:crypto';
import type { Client } from '@hortus/client/client';
import type { Execution } from '@hortus/contract/resources/actions';
import type { DeployedImage } from '@hortus/contract/resources/deployment-records';
import type { Server } from '@hortus/contract/resources/server-records';
import type { Template } from '@hortus/contract/resources/templates';
import type { InputValue } from '@hortus/contract/template/inputs';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { exampleInputs } from '@hortus/template/inputs/example-inputs';
import { Failure, failureOf } from '../failure.ts';
import { followDeployment, type Progress } from '../following/deployment.ts';
import { followExecution } from '../following/execution.ts';
import { poll } from '../following/poll.ts';
import { followUpgrade } from '../following/upgrade.ts';
import type { World } from '../world/world.ts';

/** What is verified, and where. */
export interface Verified {
  readonly template: Template;
  readonly spec: Canonical;
  readonly server: Server;
  /** Values that replace the examples. */
  readonly inputs: Readonly<Record<string, InputValue>>;
  readonly profile: string | undefined;
  /** Maximum time of one step in milliseconds. */
  readonly timeout: number;
}

interface Step {
  readonly name: string;
  readonly run: () => Promise<void>;
  /** Whether the step can be taken at all; default is yes. */
  readonly isPossible?: () => Promise<boolean>;
}

/** A step that was taken. */
export interface TakenStep {
  readonly name: string;
  readonly seconds: number;
  /** Why it failed; it was the last one then. */
  readonly error?: string;
}

/**
 * A throw-away instance of a species that lives through everything that a real one may meet. It only uses the API, like
 * any client, so what it proves is what users get.
 */
export class VerificationRun {
  readonly #client: Client;
  readonly #world: World;
  readonly #verified: Verified;
  readonly uid: string;
  #definitionId: string | undefined;
  #instanceId: string | undefined;
  #backupId: string | undefined;
  #images: readonly DeployedImage[] = [];

  constructor(client: Client, world: World, verified: Verified) {
    this.#client = client;
    this.#world = world;
    this.#verified = verified;
    this.uid = `verify-${verified.template.species}-${randomBytes(3).toString('hex')}`;
  }

  /** Images of the last deployment, which ran the version to verify. */
  get images(): readonly DeployedImage[] {
    return this.#images;
  }

  /** Takes one step after the other, up to the first failure; `earlier` is the template to upgrade from. */
  async *take(earlier: string | undefined): AsyncGenerator<TakenStep> {
    for (const { name, run, isPossible } of this.#steps(earlier)) {
      if (isPossible && !(await isPossible())) continue;
      const start = this.#world.now();
      const error = await run().then(
        () => undefined,
        (thrown) => failureOf(thrown, undefined) ?? Promise.reject(thrown),
      );
      const seconds = Math.round((this.#world.now() - start) / 1000);
      yield { name, seconds, ...(error && { error: error.message }) };
      if (error) return;
    }
  }

  /** What the template does not have is left out: a backup, or an earlier version. */
  #steps(earlier: string | undefined): Step[] {
    const { template, spec } = this.#verified;
    const smoke = { name: 'smoke', run: () => this.#smoke() };
    const kept = [
      { name: 'backup', run: () => this.#backup() },
      { name: 'verify', run: () => this.#prove(), isPossible: () => this.#hasData() },
      { name: 'loss', run: () => this.#lose() },
      { name: 'restore', run: () => this.#restore() },
      smoke,
    ];
    const last =
      earlier === undefined
        ? { name: 'redeploy', run: () => this.#deploy() }
        : { name: 'upgrade', run: () => this.#upgrade() };
    return [
      { name: 'deploy', run: () => this.#create(earlier ?? template.id) },
      smoke,
      ...(spec.backup.strategy === 'none' ? [] : kept),
      last,
      smoke,
    ];
  }

  async #create(templateId: string): Promise<void> {
    const { spec, server, inputs, profile } = this.#verified;
    const { data } = await this.#client.call('definitions.create', {
      body: {
        template_id: templateId,
        name: this.uid,
        instance_uid: this.uid,
        server_id: server.id,
        inputs: { ...exampleInputs(spec), ...inputs },
        watch_seconds: 0,
        ...(profile !== undefined && { profile }),
      },
    });
    this.#definitionId = data.id;
    await this.#deploy();
  }

  async #deploy(): Promise<void> {
    const body = { definition_id: this.#definitionId ?? '' };
    const { data } = await this.#client.call('deployments.execute', { body });
    let last: Progress | undefined;
    for await (const seen of followDeployment(this.#client, data.id, this.#world, this.#waitOptions('deployment')))
      last = seen;
    if (last?.deployment.status !== 'success') throw failed('The deployment', last?.deployment.error);
    this.#images = last.deployment.images;
    this.#instanceId = last.deployment.instance_id ?? undefined;
    await this.#healthy();
  }

  async #healthy(): Promise<void> {
    const params = { id: this.#instanceId ?? '' };
    const ask = async () => (await this.#client.call('instances.read', { params })).data;
    const isHealthy = ({ status, health }: Awaited<ReturnType<typeof ask>>) =>
      status === 'running' && health !== 'starting' && health !== 'unhealthy';
    for await (const _ of poll(this.#world, this.#waitOptions('start'), ask, isHealthy));
  }

  async #smoke(): Promise<void> {
    const { execution } = await this.#client.call('instances.smoke', { params: { id: this.#instanceId ?? '' } });
    await this.#ended(execution, 'The smoke test');
  }

  async #backup(): Promise<void> {
    const params = { id: this.#instanceId ?? '' };
    const { execution, backup } = await this.#client.call('backups.create', { params, body: {} });
    this.#backupId = backup.id;
    await this.#ended(execution, 'The backup');
    await this.#healthy();
  }

  /** An empty volume is no proof of a backup, and that of a fresh instance may be empty: a folder for uploads. */
  async #hasData(): Promise<boolean> {
    const { data } = await this.#client.call('backups.read', { params: { id: this.#backupId ?? '' } });
    return data.parts.every(({ kind, entries }) => kind !== 'volume' || entries !== 0);
  }

  async #prove(): Promise<void> {
    const { execution } = await this.#client.call('backups.verify', { params: { id: this.#backupId ?? '' } });
    await this.#ended(execution, 'The proof of the backup');
  }

  /** Removes everything with its data, as after the loss of a disk, and deploys an empty instance. */
  async #lose(): Promise<void> {
    await this.#release();
    await this.#deploy();
  }

  async #restore(): Promise<void> {
    const order = { params: { id: this.#backupId ?? '' }, body: { confirm: this.uid } };
    const { execution } = await this.#client.call('backups.restore', order);
    await this.#ended(execution, 'The restore');
    await this.#healthy();
  }

  async #upgrade(): Promise<void> {
    const { template } = this.#verified;
    await this.#client.call('upgrades.scan', {});
    const query = { definition_id: this.#definitionId ?? '' };
    const offered = (await this.#client.call('upgrades.list', { query })).data;
    const open = offered.find(({ to_version }) => to_version === template.version);
    if (open === undefined) throw new Failure('failed', `No upgrade to ${template.version} is offered.`);
    const { data } = await this.#client.call('upgrades.apply', { params: { id: open.id }, body: {} });
    const end = await followUpgrade(this.#client, data, this.#world, this.#waitOptions('upgrade'));
    if (end.status !== 'applied') throw failed('The upgrade', end.error);
    const [newest] = (await this.#client.call('deployments.list', { query: { ...query, per_page: 1 } })).data;
    this.#images = newest?.images ?? [];
    await this.#healthy();
  }

  /**
   * Removes the instance, its volumes, its backups and its definition. Returns why it failed, so that it cannot hide the step
   * that failed before.
   */
  async clear(): Promise<string | undefined> {
    try {
      await this.#removeAll();
      return undefined;
    } catch (thrown) {
      const failure = failureOf(thrown, undefined);
      if (failure === undefined) throw thrown;
      return failure.message;
    }
  }

  async #removeAll(): Promise<void> {
    if (this.#definitionId === undefined) return;
    if (this.#instanceId !== undefined) await this.#release();
    const query = { definition_id: this.#definitionId };
    for (const { id, status } of await Array.fromAsync(this.#client.pages('backups.list', { query })))
      if (status === 'completed') await this.#client.call('backups.delete', { params: { id } });
    await this.#client.call('definitions.archive', { params: { id: this.#definitionId } });
  }

  async #release(): Promise<void> {
    const stores = Object.values(this.#verified.spec.components).flatMap(({ storage }) => storage);
    const confirm = [...new Set(stores.filter(({ critical }) => critical).map(({ name }) => name))];
    const order = { params: { id: this.#instanceId ?? '' }, body: { remove_volumes: true, confirm } };
    const { execution } = await this.#client.call('instances.release', order);
    await this.#ended(execution, 'The removal');
    this.#instanceId = undefined;
  }

  async #ended(execution: Execution, what: string): Promise<void> {
    const end = await followExecution(this.#client, execution, this.#world, this.#waitOptions(what));
    if (end.status !== 'completed') throw failed(what, end.error);
  }

  #waitOptions(what: string) {
    const { timeout } = this.#verified;
    return { timeout, unfinished: `${what} of ${this.uid} did not finish in time.` };
  }
}

const failed = (what: string, error: string | null | undefined) =>
  new Failure('failed', `${what} failed: ${error ?? 'no reason was reported.'}`);
