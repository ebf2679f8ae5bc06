import { type Principal, requirePermission } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import type { Tx } from '../../storage/storage.ts';
import { CATALOG_TOPIC, type CatalogTemplate, templateFrom } from '../templates/catalog.ts';
import type { Drafts } from './service.ts';
import { lockTemplate, lockVersion, removeTemplate, type TemplateRow } from './store.ts';
import { newColumns, type Written } from './written.ts';

/** One that comes with something else, as it will be when it is published: to be tried before that. */
export const asPublished = (owner: string, written: Written, id: string): CatalogTemplate =>
  templateFrom({ ...newColumns(owner, written, id, Date.now()), status: 'published' });

/** Publishes it by the rules for any other, unless the very same is there. Either way it is held, and stays until the transaction ends. */
export async function bringTemplate(
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

/** Whoever removes it holds it first: nothing is made from it then until it is decided. Only an account's own are. */
export const holdTemplate: (tx: Tx, accountId: string, id: string) => Promise<TemplateRow | undefined> = lockTemplate;

/** Of one that nothing was made from. */
export async function takeTemplateBack(tx: Tx, row: TemplateRow, actor: string | null): Promise<void> {
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
