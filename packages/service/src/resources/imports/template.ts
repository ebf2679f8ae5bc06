import type { Bundle } from '@hortus/contract/resources/imports';
import { specHash } from '@hortus/template/canonical';
import { type Principal, requirePermission } from '../../identity/principal.ts';
import { conflict, invalid } from '../../problem.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Drafts } from '../drafts/service.ts';
import { isClean, readDraft, type Written } from '../drafts/written.ts';
import type { Catalog, CatalogTemplate } from '../templates/catalog.ts';

export interface TemplatesDeps {
  readonly storage: Storage;
  readonly catalog: Catalog;
  readonly drafts: Pick<Drafts, 'create' | 'validate' | 'promote'>;
}

/** The template that a bundle brings along: read, and found to be the one that its hash says. */
export function readTemplate({ template }: Bundle): Written {
  const written = readDraft({ spec: template.spec });
  const { slug, version } = written.spec;
  if (slug !== template.species || version !== template.version)
    throw invalid(
      'bundle.template',
      `says that it is ${template.species} ${template.version}, and is ${slug} ${version}.`,
    );
  if (specHash(written.spec) !== template.spec_hash)
    throw conflict('bundle.template.spec_hash', 'spec_hash', 'is not that of its spec: the template was changed.');
  if (isClean(written.findings)) return written;
  const [first] = written.findings.filter(({ severity }) => severity === 'error');
  throw invalid('bundle.template.spec', `${first?.path}: ${first?.message}`, { findings: written.findings });
}

/** The very template as this service knows it, by its hash. */
export function knownTemplate(catalog: Catalog, accountId: string, { template }: Bundle): CatalogTemplate | undefined {
  const { species, spec_hash } = template;
  const item = catalog
    .everyVersion(accountId)
    .find((one) => one.species === species && one.spec_hash === spec_hash && one.status === 'published');
  return item && catalog.byId(item.id);
}

/** One that is not known becomes one of the account, by the same rules as any other that it publishes. */
export async function ensureTemplate(
  { storage, catalog, drafts }: TemplatesDeps,
  principal: Principal,
  bundle: Bundle,
): Promise<CatalogTemplate> {
  const written = readTemplate(bundle);
  const known = knownTemplate(catalog, principal.accountId, bundle);
  if (known) return known;
  requirePermission(principal, 'templates:write');
  const { id } = await storage.write(async (tx) => {
    const draft = await drafts.create(tx, principal, written);
    await drafts.validate(tx, principal, draft.id);
    return await drafts.promote(tx, principal, draft.id);
  });
  await catalog.load();
  return catalog.known(id);
}
