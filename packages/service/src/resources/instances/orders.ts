import type { Execution } from '@hortus/contract/resources/actions';
import type { Instance } from '@hortus/contract/resources/instance-records';
import type { ReleaseOrder } from '@hortus/contract/resources/instances';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { conflict, invalid } from '../../problem.ts';
import type { Tx } from '../../storage/storage.ts';
import type { BuiltInOrder, Settling } from '../actions/built-ins.ts';
import { specOf } from '../actions/declared.ts';
import type { Catalog } from '../templates/catalog.ts';
import { requireOpenTenant } from '../tenants/membership.ts';
import { type Instances, released } from './service.ts';
import type { NamedRow } from './store.ts';

export interface InstanceOrdersDeps {
  readonly instances: Pick<Instances, 'lock' | 'record'>;
  readonly catalog: Pick<Catalog, 'known'>;
  readonly order: (tx: Tx, order: BuiltInOrder) => Promise<Execution>;
  /** For what is done already: an execution that is over as soon as it is written. */
  readonly done: (tx: Tx, order: BuiltInOrder) => Promise<Execution>;
}

export interface Ordered {
  readonly execution: Execution;
  readonly instance: Instance;
}

/**
 * Start, stop, restart and release. Each says what the instance is to be, so that asking twice does no harm, and each is
 * carried out by the daemon even if the instance seems to be so already: it knows, we have only been told.
 */
export class InstanceOrders {
  readonly #deps: InstanceOrdersDeps;
  constructor(deps: InstanceOrdersDeps) {
    this.#deps = deps;
  }

  async order(tx: Tx, principal: Principal, id: string, slug: Exclude<Settling, 'hortus.release'>): Promise<Ordered> {
    const { instances, order } = this.#deps;
    const instance = await instances.lock(tx, principal, id);
    if (instance.status === 'released') throw released();
    if (instance.status === 'pending')
      throw conflict('status', 'state', 'the instance has not been deployed yet.', { status: 'pending' });
    if (slug !== 'hortus.stop') await requireOpenTenant(tx, instance.tenant_id);
    const execution = await order(tx, { instance, slug, actor: actorOf(principal) });
    return { execution, instance: instances.record(instance) };
  }

  async release(tx: Tx, principal: Principal, id: string, body: ReleaseOrder): Promise<Ordered> {
    const { instances, order, done } = this.#deps;
    const instance = await instances.lock(tx, principal, id);
    const { remove_volumes = false, confirm = [] } = body;
    if (remove_volumes) {
      // Its names may belong to a later instance of the same definition by now, and so may its volumes.
      if (instance.status === 'released') throw released();
      this.#requireConfirmation(instance, confirm);
    }
    const wanted = {
      instance,
      slug: 'hortus.release',
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
    return [...new Set(volumes.filter((one) => one.critical && one.host_path === undefined).map(({ name }) => name))];
  }
}
