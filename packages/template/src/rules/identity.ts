import { RESERVED_SLUGS } from '@hortus/contract/template/schema';
import { error } from '../source/finding.ts';
import { type Rule, repeated } from './rule.ts';

export const identity: Rule = function* (spec) {
  if ((RESERVED_SLUGS as readonly string[]).includes(spec.slug)) {
    yield error(
      'reserved',
      ['slug'],
      `${spec.slug} is reserved; ${RESERVED_SLUGS.join(', ')} are paths of the catalog`,
    );
  }
  for (const [index, tag] of repeated(spec.taxonomy.tags, (word) => word)) {
    yield error('duplicate', ['taxonomy', 'tags', index], `the tag ${tag} is listed twice`);
  }
  for (const [index, name] of repeated(spec.needs, (need) => need.as)) {
    yield error('duplicate', ['needs', index], `another need has the name ${name}`);
  }
};
