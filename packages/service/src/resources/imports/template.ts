import type { Bundle } from '@hortus/contract/resources/imports';
import type { Principal } from '../../identity/principal.ts';
import { Behind } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import {
  asPublished,
  type Drafts,
  lockTemplate,
  publishUnlessPresent,
  READ_BUNDLED_TEMPLATE,
  removePublished,
  type Written,
} from '../drafts/public.ts';
import { type Catalog, type CatalogTemplate, isOfCatalog } from '../templates/public.ts';
import { type ImportRow, importsOf } from './store.ts';

export interface TemplatesDeps {
  readonly storage: Storage;
  readonly catalog: Catalog;
  readonly work: Work;
  readonly drafts: Pick<Drafts, 'create' | 'validate' | 'promote'>;
}

/** Finds the identical template, by its hash. */
function knownTemplate(catalog: Catalog, accountId: string, { template }: Bundle): CatalogTemplate | undefined {
  const { species, spec_hash } = template;
  const item = catalog
    .everyVersion(accountId)
    .find((item) => item.species === species && item.spec_hash === spec_hash && item.status === 'published');
  return item && catalog.byId(item.id);
}

/** The template of a bundle with its existing or future id; it is created only together with the import. */
export interface Found {
  readonly template: CatalogTemplate;
  readonly written: Written;
}

/** Finds the template beforehand. If the account has a draft of this version, the draft is published immediately. */
export async function findTemplate(deps: TemplatesDeps, principal: Principal, bundle: Bundle): Promise<Found> {
  const { storage, catalog, drafts, work } = deps;
  const { accountId } = principal;
  const owner = { account: accountId, field: 'bundle.template.spec' };
  const written = await work.run(READ_BUNDLED_TEMPLATE, owner, bundle.template);
  const known = knownTemplate(catalog, accountId, bundle);
  if (known) return { template: known, written };
  const { species, version } = bundle.template;
  const isDraft = catalog.upcoming(accountId).some((item) => item.species === species && item.version === version);
  if (!isDraft) return { template: asPublished(accountId, written, newId('template')), written };
  const { id } = await storage.write((tx) => publishUnlessPresent(tx, drafts, principal, written, newId('template')));
  await catalog.load();
  return { template: catalog.known(id), written };
}

/** Ensures that the template exists and stays until the transaction ends; returns whether it was created. */
export async function settleTemplate(
  deps: TemplatesDeps,
  tx: Tx,
  principal: Principal,
  found: Found,
): Promise<boolean> {
  const { catalog, drafts } = deps;
  const { template, written } = found;
  if (isOfCatalog(template)) return false;
  const { id, isNew } = await publishUnlessPresent(tx, drafts, principal, written, template.item.id);
  if (id === template.item.id) return isNew;
  throw new Behind(`${template.item.species} was published to the account meanwhile.`, () => catalog.load());
}

export interface TakeBackDeps {
  readonly isUsed: (tx: Tx, accountId: string, templateId: string) => Promise<boolean>;
  /** False if an upgrade to it has been ordered. */
  readonly forgetOffersOf: (tx: Tx, templateId: string) => Promise<boolean>;
}

/** Removes the template that a failed import, or an earlier one, added, unless something else uses it. */
export async function takeBackTemplate(
  tx: Tx,
  { isUsed, forgetOffersOf }: TakeBackDeps,
  { account_id, template_id }: ImportRow,
  actor: string | null,
): Promise<void> {
  const template = await lockTemplate(tx, account_id, template_id);
  if (!template) return;
  const imports = await importsOf(tx, account_id, template_id);
  const wasBrought = imports.some(({ brought_template }) => brought_template === 1);
  const isAwaited = imports.some(({ status }) => status !== 'failed');
  if (!wasBrought || isAwaited || (await isUsed(tx, account_id, template_id))) return;
  if (await forgetOffersOf(tx, template_id)) await removePublished(tx, template, actor);
}
