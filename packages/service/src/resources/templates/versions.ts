import type { TemplateVersion } from '@hortus/contract/resources/templates';
import { notFound } from '../../problem.ts';
import { type Page, type PageRequest, slice } from '../../storage/page.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import type { Catalog } from './catalog.ts';
import { compareTemplates } from './comparison.ts';
import type { CatalogTemplate } from './owner-templates.ts';

export interface VersionsDeps {
  readonly catalog: Catalog;
  readonly reader: Queries;
  readonly work: Work;
}

/** Without the settings of a definition: only the templates are compared. */
const NOTHING_CHOSEN = { profile: 'development', inputs: {}, held: [] };

/** Lists the published versions that an account sees of a species, each with the changes since the one before. */
export async function versionsOf(
  { catalog, reader, work }: VersionsDeps,
  species: string,
  accountId: string,
  request: PageRequest,
): Promise<Page<TemplateVersion>> {
  const newest = catalog.newestOf(species, accountId);
  if (!newest) throw notFound('template');
  const all = catalog.versionsOf(species, newest.owner).map((id) => catalog.known(id));
  const page = slice(
    all.map((template, place) => ({ template, previous: all[place + 1] })),
    request,
  );
  const data: TemplateVersion[] = [];
  for (const { template, previous } of page.data) {
    const { id, version, app_version, deprecated, created_at } = template.item;
    const changes = previous ? await changesBetween(previous, template) : [];
    data.push({ ...{ id, version, app_version, deprecated, created_at }, changes });
  }
  return { ...page, data };

  async function changesBetween(from: CatalogTemplate, to: CatalogTemplate) {
    return [...(await compareTemplates(reader, work, from, to, NOTHING_CHOSEN)).changes];
  }
}
