import type { DefinitionCreate, DefinitionUpdate } from '@hortus/contract/resources/definitions';
import type { ChannelCreate, ChannelUpdate } from '@hortus/contract/resources/notification-channels';
import type { RuleCreate, RuleUpdate } from '@hortus/contract/resources/notifications';
import type { RegistryCreate, RegistryUpdate } from '@hortus/contract/resources/registries';
import type { WebhookRegistration, WebhookUpdate } from '@hortus/contract/resources/webhooks';
import type { Principal } from '../../identity/principal.ts';
import { checkUrl } from '../../outbound/check-url.ts';
import { invalid } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { type Drafts, publishUnlessPresent, type Written } from '../drafts/public.ts';
import { type Channels, MAX_CHANNELS, type Rules } from '../notifications/public.ts';
import type { Registries } from '../registries/public.ts';
import type { Catalog } from '../templates/public.ts';
import { change as changeWebhook, register, remove as removeWebhook, type WebhookDeps } from '../webhooks/public.ts';
import { type DefinitionCarryingDeps, prepareDefinition } from './carrying-definitions.ts';
import type { DefinitionOrder } from './definitions.ts';
import type { Step } from './step.ts';
import type { GardenChangeRow } from './store.ts';

export interface CarryingDeps extends DefinitionCarryingDeps {
  readonly catalog: Catalog;
  readonly drafts: Drafts;
  readonly registries: Registries;
  readonly channels: Channels;
  readonly rules: Rules;
  readonly webhooks: WebhookDeps;
}

type Carried = Pick<GardenChangeRow, 'kind' | 'key' | 'action' | 'resource_id' | 'fields'>;

/** Does the slow part of a change, and returns the part for its transaction. Uses the functions of the API only. */
export async function prepare(
  deps: CarryingDeps,
  principal: Principal,
  change: Carried,
  order: object | null,
): Promise<Step> {
  switch (change.kind) {
    case 'template':
      return prepareTemplate(deps, principal, order as Written);
    case 'registry':
      return prepareRegistry(deps, principal, change, order);
    case 'channel':
      return prepareChannel(deps, principal, change, order);
    case 'rule':
      return prepareRule(deps, principal, change, order);
    case 'webhook':
      return prepareWebhook(deps, principal, change, order);
    case 'definition':
      return prepareDefinition(
        deps,
        principal,
        change,
        order as DefinitionOrder<DefinitionCreate & DefinitionUpdate> | null,
      );
  }
}

const prepareTemplate =
  ({ drafts }: CarryingDeps, principal: Principal, written: Written): Step =>
  async (tx) => {
    // Checked when the run began; a stand-in has no permissions.
    const author = { ...principal, permissions: ['templates:write'] } as Principal;
    const { id } = await publishUnlessPresent(tx, drafts, author, written, newId('template'));
    return { resourceId: id };
  };

const prepareRegistry =
  ({ registries }: CarryingDeps, principal: Principal, change: Carried, order: object | null): Step =>
  async (tx) => {
    const id = change.resource_id;
    if (id === null) return { resourceId: (await registries.create(tx, principal, order as RegistryCreate)).id };
    if (change.action === 'remove') await registries.delete(tx, principal, id);
    else await registries.update(tx, principal, id, order as RegistryUpdate);
    return { resourceId: id };
  };

type ChannelOrder = ChannelCreate & Pick<ChannelUpdate, 'status'> & { readonly without?: readonly string[] };

async function prepareChannel(
  { channels }: CarryingDeps,
  principal: Principal,
  change: Carried,
  order: object | null,
): Promise<Step> {
  const { status = 'active', without, ...body } = (order ?? {}) as ChannelOrder;
  await channels.check(body);
  return async (tx) => {
    const id = change.resource_id;
    if (change.action === 'remove' && id !== null) await channels.remove(tx, principal, id);
    else if (id !== null) await channels.update(tx, principal, id, { ...body, status }, without);
    else {
      const made = await channels.create(tx, principal, body);
      if (status === 'paused') await channels.update(tx, principal, made.id, { status });
      return { resourceId: made.id };
    }
    return { resourceId: id };
  };
}

interface RuleOrder {
  readonly body: RuleCreate & RuleUpdate;
  readonly channels: readonly string[];
}

async function prepareRule(
  { rules, channels }: CarryingDeps,
  principal: Principal,
  change: Carried,
  order: object | null,
): Promise<Step> {
  const { body, channels: names = [] } = (order ?? {}) as RuleOrder;
  const known = names.length === 0 ? [] : (await channels.list(principal, { per_page: MAX_CHANNELS })).data;
  const channel_ids = names.map((name) => {
    const found = known.find((item) => item.name === name);
    if (!found) throw invalid(`rules.${change.key}.channels`, `there is no channel ${name}.`, { reason: 'unknown' });
    return found.id;
  });
  return async (tx) => {
    const id = change.resource_id;
    if (id === null) return { resourceId: (await rules.create(tx, principal, { ...body, channel_ids })).id };
    if (change.action === 'remove') await rules.remove(tx, principal, id);
    else await rules.update(tx, principal, id, { ...body, channel_ids });
    return { resourceId: id };
  };
}

async function prepareWebhook(
  { webhooks }: CarryingDeps,
  principal: Principal,
  change: Carried,
  order: object | null,
): Promise<Step> {
  const body = (order ?? {}) as WebhookRegistration & WebhookUpdate;
  if (change.action !== 'remove') await checkUrl(webhooks.guard, body.url);
  return async (tx) => {
    const id = change.resource_id;
    const { status, ...registration } = body;
    if (id === null) {
      const made = await register(tx, webhooks, principal, registration);
      if (status === 'paused') await changeWebhook(tx, webhooks.vault, principal, made.id, { status });
      return { resourceId: made.id };
    }
    if (change.action === 'remove') await removeWebhook(tx, principal, id);
    else await changeWebhook(tx, webhooks.vault, principal, id, body);
    return { resourceId: id };
  };
}
