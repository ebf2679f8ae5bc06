import type { Upgrade, UpgradeScanResult } from '@hortus/contract/resources/upgrades';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { invalid, notFound } from '../../problem.ts';
import { iso } from '../../records/time.ts';
import { transition } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Tx } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import type { Catalog } from '../templates/public.ts';
import { recordUpgrade, upgradeLifecycle } from './lifecycle.ts';
import { upgradeRecord, upgradeRecords } from './record.ts';
import { type ScanDeps, scan } from './scan.ts';
import { findChosen, lockUpgrade, type UpgradeFilter, upgradeList } from './store.ts';

export interface UpgradesDeps extends ScanDeps {
  readonly pages: Pages;
  readonly catalog: Catalog;
  readonly work: Work;
  readonly hasInstance: (accountId: string, id: string) => Promise<boolean>;
}

export class Upgrades {
  readonly #deps: UpgradesDeps;
  constructor(deps: UpgradesDeps) {
    this.#deps = deps;
  }

  async list(filter: UpgradeFilter, request: PageRequest): Promise<Page<Upgrade>> {
    const { storage, pages } = this.#deps;
    const page = await pages.read(request, upgradeList(storage.reader, filter));
    return { ...page, data: await upgradeRecords(this.#deps, storage.reader, page.data) };
  }

  async read({ accountId }: Principal, id: string): Promise<Upgrade> {
    const { storage } = this.#deps;
    const row = await findChosen(storage.reader, accountId, id);
    if (!row) throw notFound('upgrade');
    return upgradeRecord(this.#deps, storage.reader, row);
  }

  async scan(principal: Principal, instanceId: string | undefined): Promise<UpgradeScanResult> {
    const { accountId } = principal;
    if (instanceId !== undefined && !(await this.#deps.hasInstance(accountId, instanceId)))
      throw invalid('instance_id', 'there is no such instance.', { reason: 'unknown' });
    const counts = await scan(this.#deps, { accountId, instanceId }, actorOf(principal));
    return { ...counts, scanned_at: iso(Date.now()) };
  }

  /** Records that a user has seen the upgrade without applying it. A newer version shows up again. */
  async acknowledge(tx: Tx, principal: Principal, id: string): Promise<Upgrade> {
    const { accountId } = principal;
    const actor = actorOf(principal);
    const row = await lockUpgrade(tx, accountId, id);
    const chosen = row && (await findChosen(tx, accountId, id));
    if (!row || !chosen) throw notFound('upgrade');
    const set = { acknowledged_at: row.acknowledged_at ?? tx.now };
    const changed = await transition(tx, upgradeLifecycle, row, 'acknowledge', { actor, set });
    if (changed.status !== row.status) await recordUpgrade(tx, changed, 'acknowledged', actor);
    return upgradeRecord(this.#deps, tx, { ...chosen, ...changed });
  }
}
