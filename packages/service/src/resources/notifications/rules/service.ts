import type {
  NotificationRule,
  RuleCreate,
  RuleKind,
  RuleUpdate,
  Thresholds,
} from '@hortus/contract/resources/notifications';
import { actorOf, type Principal } from '../../../identity/principal.ts';
import { append } from '../../../outbox/append.ts';
import { conflict, invalid, notFound } from '../../../problem.ts';
import { newId } from '../../../records/ids.ts';
import { iso } from '../../../records/time.ts';
import type { Page, PageRequest, Pages } from '../../../storage/page.ts';
import type { Storage, Tx } from '../../../storage/storage.ts';
import { channelIdsOf } from '../channels/store.ts';
import { clean } from '../text.ts';
import { defaults, presets } from './presets.ts';
import {
  claimAccount,
  deleteRule,
  findRule,
  hasRules,
  insertRules,
  lockRule,
  type RuleRow,
  ruleList,
  rulesOf,
  updateRule,
} from './store.ts';

export interface RulesDeps {
  readonly storage: Storage;
  readonly pages: Pages;
  /** Resolves the alerts of a rule that ends or pauses, without a message. */
  readonly close: (tx: Tx, ruleId: string) => Promise<void>;
}

/** Most rules of an account. */
export const MAX_RULES = 100;

const names = ['types', 'minutes', 'percent', 'restarts', 'days'] as const satisfies readonly (keyof Thresholds)[];

/** Manages the rules of accounts. */
export class Rules {
  readonly #deps: RulesDeps;
  constructor(deps: RulesDeps) {
    this.#deps = deps;
  }

  async list({ accountId }: Principal, request: PageRequest): Promise<Page<NotificationRule>> {
    const { storage, pages } = this.#deps;
    if (!(await hasRules(storage.reader, accountId))) await storage.write((tx) => this.ensurePresets(tx, accountId));
    const page = await pages.read(request, ruleList(storage.reader, { accountId }));
    return { ...page, data: page.data.map(recordOf) };
  }

  /** Lists all rules of an account, to compare them with a garden. */
  async all({ accountId }: Principal): Promise<NotificationRule[]> {
    return (await rulesOf(this.#deps.storage.reader, accountId)).map(recordOf);
  }

  async read({ accountId }: Principal, id: string): Promise<NotificationRule> {
    const row = await findRule(this.#deps.storage.reader, accountId, id);
    if (!row) throw notFound('notification rule');
    return recordOf(row);
  }

  async create(tx: Tx, principal: Principal, body: RuleCreate): Promise<NotificationRule> {
    const { accountId } = principal;
    await this.ensurePresets(tx, accountId);
    if ((await rulesOf(tx, accountId)).length >= MAX_RULES)
      throw conflict('rules', 'quota', `an account has at most ${MAX_RULES} rules; remove one.`);
    const row = rowOf(tx, accountId, {
      name: clean(body.name, 100),
      kind: body.kind,
      thresholds: checked(body.kind, body),
      channelIds: await this.#channels(tx, accountId, body.channel_ids),
      preset: 0,
    });
    if (body.status !== undefined) row.status = body.status;
    await insertRules(tx, [row]);
    await audit(tx, principal, 'audit.notification_rule_created', row);
    return recordOf(row);
  }

  async update(tx: Tx, principal: Principal, id: string, body: RuleUpdate): Promise<NotificationRule> {
    const { accountId } = principal;
    const row = await lockRule(tx, accountId, id);
    if (!row) throw notFound('notification rule');
    const changed = await updateRule(tx, row, {
      ...(body.name !== undefined && { name: clean(body.name, 100) }),
      ...(body.status !== undefined && { status: body.status }),
      ...(body.channel_ids !== undefined && {
        channel_ids: JSON.stringify(await this.#channels(tx, accountId, body.channel_ids)),
      }),
      thresholds: JSON.stringify(checked(row.kind, { ...JSON.parse(row.thresholds), ...inputOf(body) })),
    });
    if (changed.status === 'paused') await this.#deps.close(tx, id);
    await audit(tx, principal, 'audit.notification_rule_changed', changed);
    return recordOf(changed);
  }

  async remove(tx: Tx, principal: Principal, id: string): Promise<NotificationRule> {
    const row = await lockRule(tx, principal.accountId, id);
    if (!row) throw notFound('notification rule');
    await this.#deps.close(tx, id);
    await deleteRule(tx, id);
    await audit(tx, principal, 'audit.notification_rule_deleted', row);
    return recordOf(row);
  }

  /** Creates the preset rules of an account, once: removed ones do not come back. */
  async ensurePresets(tx: Tx, accountId: string): Promise<void> {
    if (await hasRules(tx, accountId)) return;
    if (!(await claimAccount(tx, accountId))) return;
    const rows = presets.map(({ name, kind }) =>
      rowOf(tx, accountId, { name, kind, thresholds: defaults[kind], channelIds: [], preset: 1 }),
    );
    await insertRules(tx, rows);
  }

  /** Removes a channel from the rules that name it. A rule that named only that one must not use all others. */
  async forgetChannel(tx: Tx, accountId: string, channelId: string): Promise<void> {
    for (const row of await rulesOf(tx, accountId)) {
      const ids: string[] = JSON.parse(row.channel_ids);
      if (!ids.includes(channelId)) continue;
      const left = ids.filter((id) => id !== channelId);
      await updateRule(tx, row, {
        channel_ids: JSON.stringify(left),
        ...(left.length === 0 && { status: 'paused' as const }),
      });
      if (left.length === 0) await this.#deps.close(tx, row.id);
    }
  }

  async #channels(tx: Tx, accountId: string, ids: readonly string[] = []): Promise<readonly string[]> {
    const known = ids.length === 0 ? [] : await channelIdsOf(tx, accountId);
    const unknown = ids.find((id) => !known.includes(id));
    if (unknown !== undefined)
      throw invalid('channel_ids', 'names a notification channel that does not exist.', { reason: 'unknown' });
    return ids;
  }
}

const inputOf = (body: Thresholds): Thresholds =>
  Object.fromEntries(names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));

/** Checks that the thresholds fit the kind, and adds the defaults of those that were omitted. */
function checked(kind: RuleKind, body: Thresholds): Thresholds {
  const thresholds = inputOf(body);
  for (const name of Object.keys(thresholds))
    if (!(name in defaults[kind]) && !(kind === 'event' && name === 'types'))
      throw invalid(name, `is not used by rules of kind ${kind}; omit it.`);
  if (kind === 'event' && thresholds.types === undefined)
    throw invalid('types', 'is required for rules of kind event.');
  return { ...defaults[kind], ...thresholds };
}

interface NewRule extends Pick<RuleRow, 'name' | 'kind' | 'preset'> {
  readonly thresholds: Thresholds;
  readonly channelIds: readonly string[];
}

const rowOf = (tx: Tx, account_id: string, { thresholds, channelIds, ...rule }: NewRule): RuleRow => ({
  id: newId('rule'),
  account_id,
  ...rule,
  thresholds: JSON.stringify(thresholds),
  channel_ids: JSON.stringify(channelIds),
  status: 'active',
  created_at: tx.now,
  updated_at: tx.now,
});

function recordOf(row: RuleRow): NotificationRule {
  const { types, minutes, percent, restarts, days }: Thresholds = JSON.parse(row.thresholds);
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    types: types ?? null,
    minutes: minutes ?? null,
    percent: percent ?? null,
    restarts: restarts ?? null,
    days: days ?? null,
    channel_ids: JSON.parse(row.channel_ids),
    status: row.status,
    preset: row.preset === 1,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

const audit = (tx: Tx, principal: Principal, type: `audit.${string}`, row: RuleRow): Promise<void> =>
  append(tx, {
    type,
    accountId: row.account_id,
    resourceType: 'notification_rule',
    resourceId: row.id,
    actor: actorOf(principal),
    data: { rule_id: row.id, name: row.name, kind: row.kind, status: row.status },
  });
