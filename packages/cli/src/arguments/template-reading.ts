import type { Client } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import type { SpecBySpecies } from '@hortus/contract/resources/template-spec-shapes';
import type { Template } from '@hortus/contract/resources/templates';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { withSuggestion } from '../did-you-mean.ts';
import { Failure } from '../failure.ts';

export interface ReadTemplate {
  readonly template: Template;
  readonly spec: SpecBySpecies;
  /** The full spec, with more details about inputs than the published form. */
  readonly canonical: Canonical;
}

/** Reads the newest version of a species, or an exact template id. */
export async function readTemplate(client: Client, species: string): Promise<ReadTemplate> {
  const call = { params: { species }, query: { shape: 'species' } } as const;
  const { data } = await client.call('templates.read', call).catch(async (error: unknown) => {
    if (!(error instanceof ApiProblem) || error.code !== 'NOT_FOUND') throw error;
    const known = (await Array.fromAsync(client.pages('templates.list'))).map((item) => item.species);
    const hint = withSuggestion(species, known, 'hortus catalog list shows all species.');
    throw new Failure('missing', error.message, { hint, problem: error });
  });
  const spec = data.spec as SpecBySpecies;
  return { template: data, spec, canonical: spec.canonical as unknown as Canonical };
}
