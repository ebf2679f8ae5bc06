import { type RecipeDetail, SPEC_LIMIT } from '@hortus/contract/resources/recipes';
import { canonical } from '@hortus/template/canonical/canonical';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { parse } from '@hortus/template/source/parse';
import { validate } from '@hortus/template/validate';
import { invalid } from '../../problem.ts';
import { workerJob } from '../../workers/job.ts';
import type { RecipeRow } from './store.ts';

type Finding = RecipeDetail['findings'][number];

/** A stored spec: the given text, or the object as JSON. */
export type Written = Pick<RecipeRow, 'slug' | 'spec' | 'spec_form'>;

export function writtenSpec(slug: string, input: RecipeDetail['spec']): Written {
  if (typeof input === 'string') return { slug, spec: input, spec_form: 'text' };
  const spec = JSON.stringify(input);
  if (spec.length > SPEC_LIMIT) throw invalid('spec', `must be no longer than ${SPEC_LIMIT} characters.`);
  return { slug, spec, spec_form: 'object' };
}

export const specInput = ({ spec, spec_form }: Pick<Written, 'spec' | 'spec_form'>): RecipeDetail['spec'] =>
  spec_form === 'text' ? spec : JSON.parse(spec);

export interface Examination {
  /** The examined text: if it has changed since, it has to be examined again. */
  readonly spec: string;
  readonly findings: Finding[];
  /** Undefined if the findings contain an error. */
  readonly canonical?: Canonical;
}

/** Limit of findings; an invalid text can produce thousands. */
const MAX_FINDINGS = 200;

/** Runs the validator and the additional checks for public templates. */
export function examine({ slug, spec, spec_form }: Written): Examination {
  // An object has no line numbers; use those of its formatted JSON.
  const parsed = parse(spec_form === 'text' ? spec : JSON.stringify(JSON.parse(spec), null, 2));
  const { template, findings: found } = validate(parsed);
  const findings = found.map(asPromoted);
  if (template && template.slug !== slug) {
    const message = `the recipe is for the species ${slug}, the spec says ${template.slug}`;
    findings.push({ severity: 'error', code: 'slug', path: 'slug', ...parsed.positionOf(['slug']), message });
  }
  const sound = template !== undefined && !findings.some(isError);
  return { spec, findings: readable(findings), ...(sound ? { canonical: canonical(template) } : {}) };
}

/** If there are too many findings, keeps errors first, because they prevent approval. */
const readable = (findings: Finding[]): Finding[] =>
  findings.length <= MAX_FINDINGS
    ? findings
    : [...findings.filter(isError), ...findings.filter((finding) => !isError(finding))].slice(0, MAX_FINDINGS);

const isError = ({ severity }: Finding): boolean => severity === 'error';

/** A floating tag is only a warning for private templates, but an error for public ones. */
const asPromoted = ({ file: _, ...finding }: Finding & { file?: string }): Finding =>
  finding.code === 'floating-tag' ? { ...finding, severity: 'error' } : finding;

export const EXAMINE = workerJob('recipe.examine', examine);
