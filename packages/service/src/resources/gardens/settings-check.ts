import { ChannelCreate } from '@hortus/contract/resources/notification-channels';
import { RuleCreate } from '@hortus/contract/resources/notifications';
import { RegistryCreate } from '@hortus/contract/resources/registries';
import { WebhookRegistration } from '@hortus/contract/resources/webhooks';
import { nameOf, type PresentItem } from '@hortus/garden/items';
import type { Problem } from '@hortus/garden/secret-places';
import { checkSchema } from '@hortus/template/schema/schema-check';
import type { TSchema } from 'typebox';
import type { WantedRecord } from './item.ts';

/** Bodies of the API that create each kind, and the section of the file. */
const bodies: Readonly<Record<string, readonly [section: string, schema: TSchema]>> = {
  registry: ['registries', RegistryCreate],
  channel: ['channels', ChannelCreate],
  rule: ['rules', RuleCreate],
  webhook: ['webhooks', WebhookRegistration],
};

/**
 * Checks the requests of settings as the API does: the value of a variable may be malformed. Secrets may be missing from
 * what exists, and wherever references have no values yet.
 */
export function checkSettings(
  wanted: readonly WantedRecord[],
  present: readonly PresentItem[],
  { resolved }: { readonly resolved: boolean },
): Problem[] {
  const existing = new Set(present.map(nameOf));
  return wanted.flatMap(({ item, create }) => {
    const [section, schema] = bodies[item.kind] ?? [];
    if (section === undefined || schema === undefined) return [];
    const mayLack = existing.has(nameOf(item)) || !resolved;
    return checkSchema(schema, bodyOf(item.kind, create))
      .filter(({ code }) => code !== 'missing-key' || !mayLack)
      .map(({ path, message }) => {
        const field = String(path[0]);
        const isHidden = item.hidden?.includes(field) || Object.hasOwn(item.secrets, field);
        // The message has the value inside.
        const said = isHidden ? 'does not have the right form' : message;
        return { field: [section, item.key, ...path].join('.'), message: said };
      });
  });
}

/** The status is no part of the bodies of channels and webhooks: it is changed after the creation. */
function bodyOf(kind: string, create: object): object {
  if (kind === 'rule') return (create as { readonly body: object }).body;
  const { status: _, ...body } = create as { readonly status?: string };
  return body;
}
