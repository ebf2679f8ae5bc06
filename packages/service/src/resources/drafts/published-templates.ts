import { type Principal, requirePermission } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import type { Tx } from '../../storage/storage.ts';
import { CATALOG_TOPIC, type CatalogTemplate, templateFrom } from '../templates/public.ts';
import type { Drafts } from './service.ts';
import { lockVersion, removeTemplate, type TemplateRow } from './store.ts';
import { newColumns, type Written } from './written.ts';

/** Builds the template as it will be once published, to check it beforehand. */
export const asPublished = (owner: string, written: Written, id: string): CatalogTemplate =>
  templateFrom({ ...newColumns(owner, written, id, Date.now()), status: 'published' });

/** Publishes the template by the usual rules, unless an identical one exists. Locks it until the transaction ends. */
export async function publishUnlessPresent(
  tx: Tx,
  drafts: Pick<Drafts, 'create' | 'validate' | 'promote'>,
  principal: Principal,
  written: Written,
  id: string,
): Promise<{ id: string; isNew: boolean }> {
  const { species, version } = written;
  const { spec_hash } = written.columns;
  const held = await lockVersion(tx, principal.accountId, species, version);
  if (held?.status === 'published' && held.spec_hash === spec_hash) return { id: held.id, isNew: false };
  requirePermission(principal, 'templates:write');
  const draft = await drafts.create(tx, principal, written, id);
  const examined = { specHash: spec_hash, findings: written.findings };
  await drafts.validate(tx, principal, draft.id, examined);
  await drafts.promote(tx, principal, draft.id, examined);
  return { id: draft.id, isNew: !draft.replaced };
}

/** Removes a template that nothing was created from. */
export async function removePublished(tx: Tx, row: TemplateRow, actor: string | null): Promise<void> {
  await removeTemplate(tx, row.id);
  await append(tx, {
    type: 'audit.template_removed',
    accountId: row.owner,
    resourceType: 'template',
    resourceId: row.id,
    actor,
    data: { species: row.species, version: row.version, spec_hash: row.spec_hash },
  });
  tx.notify(CATALOG_TOPIC);
}
