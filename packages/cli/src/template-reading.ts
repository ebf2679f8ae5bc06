import type { Client } from '@hortus/client/client';
import type { SpecBySpecies } from '@hortus/contract/resources/template-spec-shapes';
import type { Template } from '@hortus/contract/resources/templates';
import type { Canonical } from '@hortus/template/canonical-form';

export interface ReadTemplate {
  readonly template: Template;
  readonly spec: SpecBySpecies;
  /** The full spec, with more details about inputs than the published form. */
  readonly canonical: Canonical;
}

/** Reads the newest version of a species, or an exact template id. */
export async function readTemplate(client: Client, species: string): Promise<ReadTemplate> {
  const { data } = await client.call('templates.read', { params: { species }, query: { shape: 'species' } });
  const spec = data.spec as SpecBySpecies;
  return { template: data, spec, canonical: spec.canonical as unknown as Canonical };
}
