import type { PresentItem } from '@hortus/garden/items';
import type { Problem } from '@hortus/garden/secret-places';
import { newId } from '../../records/ids.ts';
import { asPublished, type Written } from '../drafts/public.ts';
import type { Catalog, CatalogTemplate } from '../templates/public.ts';
import type { Compared, WantedRecord } from './item.ts';

export interface ComparedTemplates extends Compared {
  /** Templates of the garden by their path: as published, or as they will be. */
  readonly byPath: ReadonlyMap<string, CatalogTemplate>;
}

export const templateKey = ({ species, version }: Pick<Written, 'species' | 'version'>): string =>
  `${species}@${version}`;

/** Compares the private templates with those that the account has published. */
export function compareTemplates(
  catalog: Pick<Catalog, 'ownedBy' | 'known'>,
  accountId: string,
  templates: ReadonlyMap<string, Written>,
): ComparedTemplates {
  const published = catalog.ownedBy(accountId).filter(({ status }) => status === 'published');
  const wanted: WantedRecord[] = [];
  const present: PresentItem[] = [];
  const problems: Problem[] = [];
  const byPath = new Map<string, CatalogTemplate>();
  for (const [path, written] of templates) {
    const { species, version, columns, findings } = written;
    const item = { kind: 'template', key: templateKey(written), secrets: {} } as const;
    wanted.push({
      item: { ...item, fields: { spec_hash: columns.spec_hash }, needs: [] },
      create: written,
      update: unchangeable,
    });
    const known = published.find((item) => item.species === species && item.version === version);
    byPath.set(path, known ? catalog.known(known.id) : asPublished(accountId, written, newId('template')));
    const broken = findings.find(({ severity, code }) => severity === 'error' || code === 'floating-tag');
    if (broken) problems.push({ field: `templates.${path}`, message: `line ${broken.line}: ${broken.message}` });
    if (!known) continue;
    present.push({
      ...item,
      id: known.id,
      fields: { spec_hash: known.spec_hash },
      settled: true,
      fixed: { spec_hash: `${species} ${version} is published and never changes; raise its version` },
    });
  }
  return { wanted, present, problems, byPath };
}

const unchangeable = (): never => {
  throw new Error('A published template never changes.');
};
