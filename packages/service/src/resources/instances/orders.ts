import { builtIn, type Settling } from '@hortus/contract/actions/built-in-actions';
import type { Execution } from '@hortus/contract/resources/actions';
import type { Instance } from '@hortus/contract/resources/instance-records';
import type { ReleaseOrder } from '@hortus/contract/resources/instances';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { conflict, invalid } from '../../problem.ts';
import type { Tx } from '../../storage/storage.ts';
import type { Catalog } from '../templates/public.ts';
import { requireOpenTenant } from '../tenants/public.ts';
import type { BuiltInOrder } from './built-in-order.ts';
import type { NamedRow } from './lists/store.ts';
import { specOf } from './running-template.ts';
import { type Instances, released } from './service.ts';

export interface InstanceOrdersDeps {
  /** Throws while the definition is being migrated; `field` is named in the error. */
  readonly requireSettled: (tx: Tx, definitionId: string, field?: string) => Promise<void>;
  /** Throws if other definitions are bound to this one. */
  readonly requireUnbound: (tx: Tx, definitionId: string, doing: string) => Promise<void>;
  readonly instances: Pick<Instances, 'lock' | 'record'>;
  readonly catalog: Pick<Catalog, 'known'>;
  readonly order: (tx: Tx, order: BuiltInOrder) => Promise<Execution>;
  /** Records an execution that has nothing to do and ends immediately. */
  readonly done: (tx: Tx, order: BuiltInOrder) => Promise<Execution>;
}

export interface Ordered {
  readonly execution: Execution;
  readonly instance: Instance;
}

/**
 * Orders start, stop, restart, release and the smoke test. Repeating one is harmless: the first four name the target
 * state. The daemon carries it out even if the instance already seems to be in that state, because our record may be
 * outdated.
 */
export class InstanceOrders {
  readonly #deps: InstanceOrdersDeps;
  constructor(deps: InstanceOrdersDeps) {
    this.#deps = deps;
  }

  async order(
    tx: Tx,
    principal: Principal,
    id: string,
    slug: Exclude<Settling, typeof builtIn.release> | typeof builtIn.smoke,
  ): Promise<Ordered> {
    const { instances, order } = this.#deps;
    const instance = await instances.lock(tx, principal, id);
    if (instance.status === 'released') throw released();
    if (instance.status === 'pending')
      throw conflict('status', 'state', 'the instance has not been deployed yet.', { status: 'pending' });
    await this.#deps.requireSettled(tx, instance.definition_id, 'id');
    if (slug !== builtIn.stop) await requireOpenTenant(tx, instance.tenant_id);
    const execution = await order(tx, { instance, slug, actor: actorOf(principal) });
    return { execution, instance: instances.record(instance) };
  }

  async release(tx: Tx, principal: Principal, id: string, body: ReleaseOrder): Promise<Ordered> {
    const { instances, order, done } = this.#deps;
    const instance = await instances.lock(tx, principal, id);
    await this.#deps.requireSettled(tx, instance.definition_id, 'id');
    const { remove_volumes = false, confirm = [] } = body;
    if (remove_volumes) {
      // A later instance of the same definition may use its names and volumes now.
      if (instance.status === 'released') throw released();
      this.#requireConfirmation(instance, confirm);
      await this.#deps.requireUnbound(tx, instance.definition_id, 'removing its data');
    }
    const wanted = {
      instance,
      slug: builtIn.release,
      params: { remove_volumes, ...(remove_volumes ? { confirm } : {}) },
      actor: actorOf(principal),
    } as const;
    const execution = await (instance.status === 'released' ? done(tx, wanted) : order(tx, wanted));
    return { execution, instance: instances.record(instance) };
  }

  #requireConfirmation(instance: NamedRow, confirm: readonly string[]): void {
    const critical = this.#criticalVolumes(instance);
    const missing = critical.filter((name) => !confirm.includes(name));
    if (missing.length > 0)
      throw invalid('confirm', `must name every critical volume that would be lost: ${critical.join(', ')}.`, {
        reason: 'confirm',
        volumes: critical,
        missing,
      });
  }

  #criticalVolumes(instance: NamedRow): string[] {
    const { components } = specOf(this.#deps.catalog, instance);
    const volumes = Object.values(components).flatMap(({ storage }) => storage);
    return [
      ...new Set(volumes.filter((volume) => volume.critical && volume.host_path === undefined).map(({ name }) => name)),
    ];
  }
}
