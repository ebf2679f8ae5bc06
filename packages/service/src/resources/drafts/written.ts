import type { DraftCreate } from '@hortus/contract/resources/drafts';
import { Template } from '@hortus/contract/template/schema';
import { canonical, specHash } from '@hortus/template/canonical';
import type { Canonical } from '@hortus/template/canonical-form';
import { canonicalJson } from '@hortus/template/canonical-json';
import type { Finding } from '@hortus/template/finding';
import { type Parsed, parse, parsedValue } from '@hortus/template/parse';
import { checkSchema, type Schema } from '@hortus/template/schema-check';
import { validate } from '@hortus/template/validate';
import { invalid, Problem } from '../../problem.ts';

/** A template as somebody wrote it, and what follows from it. */
export interface Written {
  /** Null where it came as an object. */
  readonly source: string | null;
  readonly spec: Canonical;
  readonly findings: Finding[];
}

/** Findings beyond these tell nobody more. */
const MOST_FINDINGS = 200;

export function readDraft(body: DraftCreate): Written {
  if (body.source !== undefined && body.spec !== undefined) {
    throw invalid('spec', 'is another form of source; give one of the two');
  }
  if (body.source !== undefined) return readSource(body.source);
  if (body.spec === undefined) throw invalid('source', 'give source or spec');
  return readParsed(parsedValue(body.spec), null, 'spec');
}

export const readSource = (source: string): Written => readParsed(parse(source), source, 'source');

/** A draft may be wrong in what it means, but it must be a template: without that there is nothing to keep. */
function readParsed(parsed: Parsed, source: string | null, field: string): Written {
  const { findings } = validate(parsed);
  const broken = parsed.value === undefined || checkSchema(Template as unknown as Schema, parsed.value).length > 0;
  if (broken || parsed.findings.some(({ severity }) => severity === 'error')) {
    const [first] = findings.filter(({ severity }) => severity === 'error');
    const where =
      first === undefined ? '' : ` ${first.path === '' ? '' : `${first.path} `}(line ${first.line}): ${first.message}`;
    throw new Problem('VALIDATION_ERROR', `${field}: is no template:${where}`, {
      reason: 'invalid',
      field,
      findings: findings.slice(0, MOST_FINDINGS),
    });
  }
  return { source, spec: canonical(parsed.value as Template), findings: findings.slice(0, MOST_FINDINGS) };
}

/** What the validator says of a stored template: with lines where its text was kept. */
export function findingsOf(row: { source: string | null; spec: string }): Finding[] {
  const stored = row.source === null ? validate(parsedValue(JSON.parse(row.spec))) : validate(row.source);
  return stored.findings.slice(0, MOST_FINDINGS);
}

export const isClean = (findings: readonly Finding[]): boolean =>
  findings.every(({ severity }) => severity !== 'error');

/** The columns that follow from what was written. */
export const columnsOf = ({ source, spec }: Written) => ({
  name: spec.name,
  description: spec.description,
  archetype: spec.archetype,
  kingdom: spec.taxonomy.kingdom,
  family: spec.taxonomy.family,
  app_version: spec.app_version ?? '',
  spec: canonicalJson(spec),
  spec_hash: specHash(spec),
  deprecated: spec.deprecated ? (1 as const) : (0 as const),
  // What stands out is the catalog's to say.
  featured: 0 as const,
  source,
});

/** All of a new row but its status. */
export const newColumns = (owner: string, written: Written, id: string, now: number) => ({
  id,
  owner,
  species: written.spec.slug,
  version: written.spec.version,
  ...columnsOf(written),
  validated_hash: null,
  author_account: null,
  author: null,
  created_at: now,
  updated_at: now,
});
