import type {
  ChannelCreate,
  ChannelTest,
  ChannelUpdate,
  NotificationChannel,
} from '@hortus/contract/resources/notification-channels';
import { actorOf, type Principal } from '../../../identity/principal.ts';
import { checkUrl } from '../../../outbound/check-url.ts';
import { requireSecretsAgain } from '../../../outbound/secrets-again.ts';
import { append } from '../../../outbox/append.ts';
import { conflict, notFound } from '../../../problem.ts';
import { newId } from '../../../records/ids.ts';
import { iso, isoOrNull } from '../../../records/time.ts';
import type { Page, PageRequest, Pages } from '../../../storage/page.ts';
import type { Storage, Tx } from '../../../storage/storage.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { ChannelConfig } from '../formats/format.ts';
import { wakeSender } from '../jobs.ts';
import { clean } from '../text.ts';
import { addressChange, checkConfig, configOf, openConfig, sealConfig, targetOf } from './config.ts';
import { replyOf } from './reply.ts';
import { type SendingDeps, sendMessage } from './sending.ts';
import {
  type ChannelRow,
  channelIdsOf,
  channelList,
  deleteChannel,
  findChannel,
  insertChannel,
  lockChannel,
  updateChannel,
} from './store.ts';

export interface ChannelsDeps extends SendingDeps {
  readonly storage: Storage;
  readonly vault: Pick<Vault, 'encrypt' | 'decrypt'>;
  readonly pages: Pages;
  readonly publicUrl: string;
  /** A channel is about to be removed: rules must not name it any longer. */
  readonly forget: (tx: Tx, accountId: string, channelId: string) => Promise<void>;
}

/** Most channels of an account. */
export const MAX_CHANNELS = 50;

/** Manages the notification channels of accounts. */
export class Channels {
  readonly #deps: ChannelsDeps;
  constructor(deps: ChannelsDeps) {
    this.#deps = deps;
  }

  async list({ accountId }: Principal, request: PageRequest): Promise<Page<NotificationChannel>> {
    const page = await this.#deps.pages.read(request, channelList(this.#deps.storage.reader, { accountId }));
    return { ...page, data: page.data.map(recordOf) };
  }

  /** Lists all channels of an account with their settings, to compare them with a garden. */
  async allWithSettings({ accountId }: Principal) {
    const { storage, vault } = this.#deps;
    const rows = await channelList(storage.reader, { accountId }).rows(MAX_CHANNELS, 0);
    return await Promise.all(
      rows.map(async (row) => ({ channel: recordOf(row), config: await openConfig(vault, storage.reader, row) })),
    );
  }

  async read(principal: Principal, id: string): Promise<NotificationChannel> {
    return recordOf(await this.#find(principal, id));
  }

  /** Resolves the host name, so it runs before the transaction. */
  async check(input: { readonly url?: string }): Promise<void> {
    if (input.url !== undefined) await checkUrl(this.#deps.guard, input.url);
  }

  async create(tx: Tx, principal: Principal, body: ChannelCreate): Promise<NotificationChannel> {
    const { type, name } = body;
    const config = configOf(body);
    checkConfig(type, config);
    if (type === 'email' && !this.#deps.mailer)
      throw conflict('type', 'no_mail', 'the operator of this service has set no mail server (HORTUS_SMTP_URL).');
    if ((await channelIdsOf(tx, principal.accountId)).length >= MAX_CHANNELS)
      throw conflict('channels', 'quota', `an account has at most ${MAX_CHANNELS} channels; remove one.`);
    const named = { id: newId('channel'), account_id: principal.accountId };
    const row: ChannelRow = {
      ...named,
      type,
      name: clean(name, 100),
      target: targetOf(type, config),
      config: await sealConfig(this.#deps.vault, tx, named, config),
      status: 'active',
      failing_since: null,
      created_at: tx.now,
      updated_at: tx.now,
    };
    await insertChannel(tx, row);
    await audit(tx, principal, 'audit.notification_channel_created', row);
    return recordOf(row);
  }

  /** `without` names settings to remove; a request can only add and change them. */
  async update(
    tx: Tx,
    principal: Principal,
    id: string,
    body: ChannelUpdate,
    without: readonly string[] = [],
  ): Promise<NotificationChannel> {
    const { vault } = this.#deps;
    const row = await lockChannel(tx, principal.accountId, id);
    if (!row) throw notFound('notification channel');
    const input = configOf(body);
    const before = await openConfig(vault, tx, row);
    const kept = Object.entries(before).filter(([name]) => !without.includes(name));
    const config: ChannelConfig = { ...Object.fromEntries(kept), ...input };
    requireSecretsAgain(addressChange(before, config, input));
    checkConfig(row.type, config);
    const changed = await updateChannel(tx, row, {
      ...(body.name !== undefined && { name: clean(body.name, 100) }),
      ...(body.status !== undefined && { status: body.status }),
      ...((Object.keys(input).length > 0 || without.length > 0) && {
        target: targetOf(row.type, config),
        config: await sealConfig(vault, tx, row, config),
      }),
    });
    if (changed.status === 'active') await wakeSender(tx, id);
    await audit(tx, principal, 'audit.notification_channel_changed', changed);
    return recordOf(changed);
  }

  async remove(tx: Tx, principal: Principal, id: string): Promise<NotificationChannel> {
    const row = await lockChannel(tx, principal.accountId, id);
    if (!row) throw notFound('notification channel');
    await this.#deps.forget(tx, principal.accountId, id);
    await deleteChannel(tx, id);
    await audit(tx, principal, 'audit.notification_channel_deleted', row);
    return recordOf(row);
  }

  /** Sends a test message and returns what the receiver answered; nothing is stored. */
  async test(principal: Principal, id: string): Promise<ChannelTest> {
    const { storage, vault, publicUrl } = this.#deps;
    const row = await this.#find(principal, id);
    const config = await openConfig(vault, storage.reader, row);
    const message = {
      id: newId('notification'),
      at: Date.now(),
      items: [],
      more: 0,
      link: publicUrl,
      test: true,
    } as const;
    return await replyOf(
      config,
      await sendMessage(this.#deps, { type: row.type, config }, message, {
        signal: new AbortController().signal,
        readResponse: true,
      }),
    );
  }

  async #find({ accountId }: Principal, id: string): Promise<ChannelRow> {
    const row = await findChannel(this.#deps.storage.reader, accountId, id);
    if (!row) throw notFound('notification channel');
    return row;
  }
}

const recordOf = (row: ChannelRow): NotificationChannel => ({
  id: row.id,
  type: row.type,
  name: row.name,
  target: row.target,
  status: row.status,
  failing_since: isoOrNull(row.failing_since),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

const audit = (tx: Tx, principal: Principal, type: `audit.${string}`, row: ChannelRow): Promise<void> =>
  append(tx, {
    type,
    accountId: row.account_id,
    resourceType: 'notification_channel',
    resourceId: row.id,
    actor: actorOf(principal),
    data: { channel_id: row.id, type: row.type, name: row.name, target: row.target, status: row.status },
  });
