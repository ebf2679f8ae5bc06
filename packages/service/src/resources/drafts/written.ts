import type {
  CheckedDraft,
  DraftCheck,
  DraftCreate,
  DraftImport,
  ImportedDraft,
} from '@hortus/contract/resources/drafts';
import { Template } from '@hortus/contract/template/schema';
import { canonical, specHash } from '@hortus/template/canonical/canonical';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';
import { importCompose } from '@hortus/template/compose/import/import-compose';
import { ENV_FILE } from '@hortus/template/compose/import/surroundings';
import { permissionsOf } from '@hortus/template/resolution/permissions';
import { MAX_SPEC_LENGTH } from '@hortus/template/rules/size';
import { checkSchema } from '@hortus/template/schema/schema-check';
import type { Finding } from '@hortus/template/source/finding';
import { type Parsed, parse, parsedValue } from '@hortus/template/source/parse';
import { validate } from '@hortus/template/validate';
import { invalid, Problem } from '../../problem.ts';
import { workerJob } from '../../workers/job.ts';

/**
 * A template written by an account, parsed and validated. Created in a worker thread; the event loop need not compute
 * anything again.
 */
export interface Written {
  readonly species: string;
  readonly version: string;
  readonly findings: Finding[];
  readonly columns: ReturnType<typeof columnsOf>;
}

export interface Imported extends Pick<ImportedDraft, 'inferred' | 'dropped' | 'questions'> {
  readonly written: Written;
  readonly source: string;
}

/** Limit of findings per response. */
const MAX_FINDINGS = 200;

export function readDraft(body: DraftCreate): Written {
  if (body.source !== undefined && body.spec !== undefined) {
    throw invalid('spec', 'is another form of source; give only one of them');
  }
  if (body.source !== undefined) return readSource(body.source);
  if (body.spec === undefined) throw invalid('source', 'give source or spec');
  return readParsed(parsedValue(body.spec), null, 'spec');
}

const readSource = (source: string): Written => readParsed(parse(source), source, 'source');

/** Turns a Compose file into a draft. */
function importDraft({ compose, name, slug, env, ports }: DraftImport): Imported {
  const { text, findings, inferred, dropped, questions } = importCompose(compose, {
    ...(name === undefined ? {} : { name }),
    ...(slug === undefined ? {} : { slug }),
    ...(ports === undefined ? {} : { ports }),
    files: (path) => (path === ENV_FILE ? env : undefined),
  });
  const mistakes = findings.filter(({ file, severity }) => file === undefined && severity === 'error');
  if (text === undefined || mistakes.length > 0) {
    const [first] = mistakes;
    const message = `compose: line ${first?.line ?? 1}: ${first?.message ?? 'is no Compose file'}`;
    const shown = mistakes.slice(0, MAX_FINDINGS);
    throw new Problem('VALIDATION_ERROR', message, { reason: 'invalid', field: 'compose', findings: shown });
  }
  return { written: readSource(text), source: text, inferred, dropped, questions };
}

/** Examines a template or a Compose file that is not stored. A text that is no template at all has findings too. */
function checkDraft({ source, compose, ...beside }: DraftCheck): Omit<CheckedDraft, 'findings'> & {
  readonly findings: Finding[];
} {
  if (source !== undefined && compose !== undefined) throw invalid('compose', 'cannot be given together with source');
  if (compose !== undefined) {
    const { source: made, inferred, dropped, questions } = importDraft({ compose, ...beside });
    return { ...checkDraft({ source: made }), inferred, dropped, questions };
  }
  if (source === undefined) throw invalid('source', 'give source or compose');
  const { template, findings } = validate(source);
  const permissions = template ? permissionsOf(canonical(template)) : [];
  return {
    valid: isClean(findings),
    findings: findings.slice(0, MAX_FINDINGS),
    source,
    inferred: [],
    dropped: [],
    questions: [],
    permissions: permissions.map(({ value = null, ...permission }) => ({ ...permission, value })),
  };
}

/** Accepts a draft with semantic errors, but it must match the template schema. */
function readParsed(parsed: Parsed, source: string | null, field: string): Written {
  const { findings } = validate(parsed);
  const broken = parsed.value === undefined || checkSchema(Template, parsed.value).length > 0;
  if (broken || parsed.findings.some(({ severity }) => severity === 'error')) {
    const [first] = findings.filter(({ severity }) => severity === 'error');
    const where =
      first === undefined ? '' : ` ${first.path === '' ? '' : `${first.path} `}(line ${first.line}): ${first.message}`;
    throw new Problem('VALIDATION_ERROR', `${field}: is not a valid template:${where}`, {
      reason: 'invalid',
      field,
      findings: findings.slice(0, MAX_FINDINGS),
    });
  }
  const spec = canonical(parsed.value as Template);
  const columns = columnsOf(source, spec);
  if (columns.spec.length > MAX_SPEC_LENGTH)
    throw invalid(field, `must be no longer than ${MAX_SPEC_LENGTH} characters in its canonical form.`);
  return { species: spec.slug, version: spec.version, findings: findings.slice(0, MAX_FINDINGS), columns };
}

/** Validates a stored template; findings have line numbers if its source text was kept. */
function findingsOf(row: { source: string | null; spec: string }): Finding[] {
  const stored = row.source === null ? validate(parsedValue(JSON.parse(row.spec))) : validate(row.source);
  return stored.findings.slice(0, MAX_FINDINGS);
}

/** Returns a stored template as text with its findings; one that was given as an object is written as JSON. */
export function textOf({ source, spec }: { source: string | null; spec: string }): {
  readonly source: string;
  readonly findings: Finding[];
} {
  const text = source ?? JSON.stringify(JSON.parse(spec), null, 2);
  return { source: text, findings: findingsOf({ source: text, spec }) };
}

export const isClean = (findings: readonly Finding[]): boolean =>
  findings.every(({ severity }) => severity !== 'error');

/** Derives the columns from the template. `source` is null if it was given as an object. */
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
  // Only the catalog decides what is featured.
  featured: 0 as const,
  source,
});

/** Columns of a new row without its status. */
export const newColumns = (owner: string, written: Written, id: string, now: number) => ({
  id,
  owner,
  species: written.species,
  version: written.version,
  ...written.columns,
  validated_hash: null,
  verified_at: null,
  verified_digest: null,
  author_account: null,
  author: null,
  created_at: now,
  updated_at: now,
});

export const CHECK_DRAFT = workerJob('draft.check', checkDraft);
export const FIND_PROBLEMS = workerJob('draft.findings', findingsOf);
export const IMPORT_DRAFT = workerJob('draft.import', importDraft);
export const READ_DRAFT = workerJob('draft.read', readDraft);
export const WRITE_DRAFT = workerJob('draft.text', textOf);
