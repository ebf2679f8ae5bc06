import { meets } from '@hortus/template/resolution/needs';

/** Properties of a template that matching uses. */
export interface Candidate {
  readonly provides: readonly string[];
  /** Classes that it requires. */
  readonly needs: readonly string[];
  readonly featured: boolean;
  readonly deprecated: boolean;
  readonly name: string;
}

export interface Matching<Template extends Candidate> {
  readonly matches: readonly { readonly need: string; readonly templates: readonly Ranked<Template>[] }[];
  readonly unmet: readonly string[];
  readonly best: readonly { readonly template: Template; readonly covers: readonly string[] }[];
}

interface Ranked<Template> {
  readonly template: Template;
  readonly provides: readonly string[];
  readonly missing: readonly string[];
}

const offers = ({ provides }: Candidate, needed: string) => provides.filter((provided) => meets(provided, needed));

/** Ranks the templates for each need, best first, and finds the smallest set that meets all satisfiable needs. */
export function match<Template extends Candidate>(
  wanted: readonly string[],
  templates: readonly Template[],
): Matching<Template> {
  const needs = [...new Set(wanted)];
  const matches = needs.map((need) => ({
    need,
    templates: templates
      .filter((template) => offers(template, need).length > 0)
      .map((template) => ({ template, provides: offers(template, need), missing: missingOf(template, needs) }))
      .sort((a, b) => order(a, b, need)),
  }));
  const unmet = matches.filter((match) => match.templates.length === 0).map(({ need }) => need);
  return { matches, unmet, best: fewest(matches) };
}

/** Needs of a template that neither itself nor the requested needs cover. */
const missingOf = (template: Candidate, needs: readonly string[]) =>
  template.needs.filter((own) => offers(template, own).length === 0 && !needs.some((need) => meets(need, own)));

function order(a: Ranked<Candidate>, b: Ranked<Candidate>, need: string): number {
  const inexact = ({ provides }: Ranked<Candidate>) => (provides.includes(need) ? 0 : 1);
  return (
    Number(a.template.deprecated) - Number(b.template.deprecated) ||
    inexact(a) - inexact(b) ||
    a.missing.length - b.missing.length ||
    Number(b.template.featured) - Number(a.template.featured) ||
    a.template.name.localeCompare(b.template.name, 'en')
  );
}

interface Choice<Template> {
  readonly template: Template;
  /** Bit set of the needs it meets. */
  readonly met: number;
  /** Sum of its positions in the rankings; lower is better. */
  readonly rank: number;
}

/**
 * Finds the smallest set by dynamic programming over sets of needs, keeping the cheapest way to each. Templates that
 * meet the same needs are interchangeable, so few choices remain even for a large catalog.
 */
function fewest<Template extends Candidate>(matches: Matching<Template>['matches']): Matching<Template>['best'] {
  const all = matches.reduce((bits, { templates }, at) => (templates.length > 0 ? bits | (1 << at) : bits), 0);
  const ways = new Map<number, { rank: number; picked: readonly Choice<Template>[] }>([[0, { rank: 0, picked: [] }]]);
  const choices = choicesOf(matches);
  for (let bits = 0; bits < all; bits++) {
    const way = ways.get(bits);
    if (way === undefined) continue;
    for (const choice of choices) {
      const next = bits | choice.met;
      if (next === bits) continue;
      const [picked, rank] = [[...way.picked, choice], way.rank + choice.rank];
      const known = ways.get(next);
      const better =
        known === undefined ||
        picked.length < known.picked.length ||
        (picked.length === known.picked.length && rank < known.rank);
      if (better) ways.set(next, { rank, picked });
    }
  }
  return (ways.get(all)?.picked ?? []).map(({ template, met }) => ({
    template,
    covers: matches.flatMap(({ need }, at) => (met & (1 << at) ? [need] : [])),
  }));
}

/** Picks the best ranked template for every set of needs that some template meets. */
function choicesOf<Template extends Candidate>(matches: Matching<Template>['matches']): Choice<Template>[] {
  const places = new Map<Template, { met: number; rank: number }>();
  for (const [at, { templates }] of matches.entries()) {
    for (const [place, { template }] of templates.entries()) {
      const { met, rank } = places.get(template) ?? { met: 0, rank: 0 };
      places.set(template, { met: met | (1 << at), rank: rank + place });
    }
  }
  const bySet = new Map<number, Choice<Template>>();
  for (const [template, { met, rank }] of places) {
    if (rank < (bySet.get(met)?.rank ?? Number.POSITIVE_INFINITY)) bySet.set(met, { template, met, rank });
  }
  return [...bySet.values()];
}
