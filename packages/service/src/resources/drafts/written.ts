import type { DraftCreate, DraftImport, ImportedDraft } from '@hortus/contract/resources/drafts';
import { Template } from '@hortus/contract/template/schema';
import { canonical, specHash } from '@hortus/template/canonical';
import type { Canonical } from '@hortus/template/canonical-form';
import { canonicalJson } from '@hortus/template/canonical-json';
import { importCompose } from '@hortus/template/compose/import';
import type { Finding } from '@hortus/template/finding';
import { type Parsed, parse, parsedValue } from '@hortus/template/parse';
import { LONGEST_SPEC } from '@hortus/template/rules/size';
import { checkSchema, type Schema } from '@hortus/template/schema-check';
import { validate } from '@hortus/template/validate';
import { invalid, Problem } from '../../problem.ts';

/**
 * A template as an account wrote it, read and validated. It is made in a worker thread and holds nothing that the event loop
 * would have to work out again.
 */
export interface Written {
  readonly species: string;
  readonly version: string;
  readonly findings: Finding[];
  readonly columns: ReturnType<typeof columnsOf>;
}

export interface Imported extends Pick<ImportedDraft, 'inferred' | 'dropped'> {
  readonly written: Written;
  readonly source: string;
}

/** An answer lists no more findings than these. */
const MOST_FINDINGS = 200;

export function readDraft(body: DraftCreate): Written {
  if (body.source !== undefined && body.spec !== undefined) {
    throw invalid('spec', 'is another form of source; give one of the two');
  }
  if (body.source !== undefined) return readSource(body.source);
  if (body.spec === undefined) throw invalid('source', 'give source or spec');
  return readParsed(parsedValue(body.spec), null, 'spec');
}

const readSource = (source: string): Written => readParsed(parse(source), source, 'source');

/** Turns a Compose file into a draft. */
export function importDraft({ compose, name, slug }: DraftImport): Imported {
  const { text, findings, inferred, dropped } = importCompose(compose, {
    ...(name === undefined ? {} : { name }),
    ...(slug === undefined ? {} : { slug }),
  });
  const mistakes = findings.filter(({ file, severity }) => file === undefined && severity === 'error');
  if (text === undefined || mistakes.length > 0) {
    const [first] = mistakes;
    const message = `compose: line ${first?.line ?? 1}: ${first?.message ?? 'is no Compose file'}`;
    const shown = mistakes.slice(0, MOST_FINDINGS);
    throw new Problem('VALIDATION_ERROR', message, { reason: 'invalid', field: 'compose', findings: shown });
  }
  return { written: readSource(text), source: text, inferred, dropped };
}

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
  const spec = canonical(parsed.value as Template);
  const columns = columnsOf(source, spec);
  if (columns.spec.length > LONGEST_SPEC)
    throw invalid(field, `must be no longer than ${LONGEST_SPEC} characters in its canonical form.`);
  return { species: spec.slug, version: spec.version, findings: findings.slice(0, MOST_FINDINGS), columns };
}

/** What the validator says of a stored template: with lines where its text was kept. */
export function findingsOf(row: { source: string | null; spec: string }): Finding[] {
  const stored = row.source === null ? validate(parsedValue(JSON.parse(row.spec))) : validate(row.source);
  return stored.findings.slice(0, MOST_FINDINGS);
}

export const isClean = (findings: readonly Finding[]): boolean =>
  findings.every(({ severity }) => severity !== 'error');

/** The columns that follow from the template. `source` is null where it came as an object. */
const columnsOf = (source: string | null, spec: Canonical) => ({
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
  species: written.species,
  version: written.version,
  ...written.columns,
  validated_hash: null,
  author_account: null,
  author: null,
  created_at: now,
  updated_at: now,
});
