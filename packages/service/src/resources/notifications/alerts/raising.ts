import { newId } from '../../../records/ids.ts';
import { begin, transition } from '../../../state/transition.ts';
import { RunAgain, type Tx } from '../../../storage/storage.ts';
import { lockActiveChannels } from '../channels/store.ts';
import { wakeComposer } from '../jobs.ts';
import type { Finding } from './finding.ts';
import { alertLifecycle } from './lifecycle.ts';
import { type AlertRow, deleteAlert, lockUnresolvedOfRule, noteAlert, queue } from './store.ts';

/** Opens and resolves alerts in one transaction, and queues them for the channels of their rules. */
export class Raising {
  readonly #tx: Tx;
  readonly #groupingMs: number;
  readonly #active = new Map<string, Promise<readonly string[]>>();
  readonly #woken = new Set<string>();

  /** A message waits for further alerts, so that causes and consequences arrive together. */
  constructor(tx: Tx, groupingMs: number) {
    this.#tx = tx;
    this.#groupingMs = groupingMs;
  }

  /** Remembers something that does not last long enough yet. */
  async watch(finding: Finding): Promise<void> {
    await begin(this.#tx, alertLifecycle, rowOf(this.#tx, finding, this.#tx.now), 'watch', null, again);
  }

  /** Opens an alert, new or pending, and has it reported. */
  async open(
    { finding, since, alert }: { finding: Finding; since: number; alert: AlertRow | undefined },
    ruleChannels: readonly string[],
  ): Promise<AlertRow> {
    const tx = this.#tx;
    const reported = await this.#channels(finding.accountId, ruleChannels);
    const set = { told: JSON.stringify(reported), opened_at: tx.now };
    const { title, text, fix } = finding;
    const row = alert
      ? await transition(tx, alertLifecycle, alert, 'open', { actor: null, set: { ...set, title, text, fix } })
      : await begin(tx, alertLifecycle, { ...rowOf(tx, finding, since), ...set }, 'open', null, again);
    await this.#notify(row.id, reported, 'opened');
    return row;
  }

  /** Reports an alert again that is still open. */
  async repeat(alert: AlertRow, { title, text, fix }: Finding, ruleChannels: readonly string[]): Promise<void> {
    const reported = await this.#channels(alert.account_id, ruleChannels);
    await noteAlert(this.#tx, alert.id, { told: JSON.stringify(reported), title, text, fix });
    await this.#notify(alert.id, reported, 'opened');
  }

  /** Resolves an alert; the channels that reported it report its end. */
  async resolve(alert: AlertRow, { silently = false } = {}): Promise<void> {
    await transition(this.#tx, alertLifecycle, alert, 'resolve', { actor: null, set: { resolved_at: this.#tx.now } });
    if (silently) return;
    const reported: string[] = JSON.parse(alert.told);
    const active = await this.#channels(alert.account_id, []);
    await this.#notify(
      alert.id,
      reported.filter((id) => active.includes(id)),
      'resolved',
    );
  }

  async drop(alert: AlertRow): Promise<void> {
    await deleteAlert(this.#tx, alert.id);
  }

  /** The active ones among the channels of a rule. */
  async #channels(accountId: string, ofRule: readonly string[]): Promise<readonly string[]> {
    const known =
      this.#active.get(accountId) ?? lockActiveChannels(this.#tx, accountId).then((rows) => rows.map(({ id }) => id));
    this.#active.set(accountId, known);
    const active = await known;
    return ofRule.length === 0 ? active : ofRule.filter((id) => active.includes(id));
  }

  async #notify(alertId: string, channelIds: readonly string[], phase: 'opened' | 'resolved'): Promise<void> {
    if (channelIds.length === 0) return;
    await queue(this.#tx, alertId, channelIds, phase);
    for (const id of channelIds) {
      if (this.#woken.has(id)) continue;
      this.#woken.add(id);
      await wakeComposer(this.#tx, id, this.#tx.now + this.#groupingMs);
    }
  }
}

/** Resolves the alerts of a rule that ends, without a message. */
export async function closeAlertsOf(tx: Tx, ruleId: string): Promise<void> {
  const raising = new Raising(tx, 0);
  for (const alert of await lockUnresolvedOfRule(tx, ruleId)) {
    if (alert.status === 'pending') await raising.drop(alert);
    else await raising.resolve(alert, { silently: true });
  }
}

/** Another transaction has just created the alert. */
const again = () => new RunAgain();

const rowOf = (tx: Tx, finding: Finding, since: number) => ({
  id: newId('alert'),
  account_id: finding.accountId,
  rule_id: finding.ruleId,
  kind: finding.kind,
  subject: finding.subject,
  title: finding.title,
  text: finding.text,
  fix: finding.fix,
  resource_type: finding.resourceType,
  resource_id: finding.resourceId,
  server_id: finding.serverId,
  told: '[]',
  since,
  opened_at: null,
  resolved_at: null,
  created_at: tx.now,
  updated_at: tx.now,
});
