import { type RecipeDetail, SPEC_LIMIT } from '@hortus/contract/resources/recipes';
import { canonical } from '@hortus/template/canonical';
import type { Canonical } from '@hortus/template/canonical-form';
import { parse } from '@hortus/template/parse';
import { validate } from '@hortus/template/validate';
import { invalid } from '../../problem.ts';
import type { RecipeRow } from './store.ts';

type Finding = RecipeDetail['findings'][number];

/** A spec as it is kept: the text that was given, or the object written out. */
export type Written = Pick<RecipeRow, 'slug' | 'spec' | 'spec_form'>;

export function writtenSpec(slug: string, given: RecipeDetail['spec']): Written {
  if (typeof given === 'string') return { slug, spec: given, spec_form: 'text' };
  const spec = JSON.stringify(given);
  if (spec.length > SPEC_LIMIT) throw invalid('spec', `must be no longer than ${SPEC_LIMIT} characters.`);
  return { slug, spec, spec_form: 'object' };
}

export const givenSpec = ({ spec, spec_form }: Pick<Written, 'spec' | 'spec_form'>): RecipeDetail['spec'] =>
  spec_form === 'text' ? spec : JSON.parse(spec);

export interface Examination {
  /** What was examined: if it has changed since, it has to be examined anew. */
  readonly spec: string;
  readonly findings: Finding[];
  /** Missing where the findings hold an error. */
  readonly canonical?: Canonical;
}

/** Nobody reads more than these; a text that is no template at all can give thousands. */
const MOST_FINDINGS = 200;

/** What the validator says, and what is asked besides of a template that everybody will see. */
export function examine({ slug, spec, spec_form }: Written): Examination {
  // An object has no lines of its own: it gets those that anybody would write it out with.
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

/** Of too many, the errors come first: they are what keeps it from being approved. */
const readable = (findings: Finding[]): Finding[] =>
  findings.length <= MOST_FINDINGS
    ? findings
    : [...findings.filter(isError), ...findings.filter((one) => !isError(one))].slice(0, MOST_FINDINGS);

const isError = ({ severity }: Finding): boolean => severity === 'error';

/** A tag that means another image tomorrow is a warning to its author, but not something to give to everybody. */
const asPromoted = ({ file: _, ...finding }: Finding & { file?: string }): Finding =>
  finding.code === 'floating-tag' ? { ...finding, severity: 'error' } : finding;
