import type { Client } from '@hortus/client/client';
import type { SpecBySpecies } from '@hortus/contract/resources/template-spec-shapes';
import type { Template } from '@hortus/contract/resources/templates';
import type { Canonical } from '@hortus/template/canonical-form';

export interface ReadTemplate {
  readonly template: Template;
  readonly spec: SpecBySpecies;
  /** The whole spec, which says more about inputs than the published form does. */
  readonly canonical: Canonical;
}

/** By species, its newest version, or by template id, exactly that one. */
export async function readTemplate(client: Client, species: string): Promise<ReadTemplate> {
  const { data } = await client.call('templates.read', { params: { species }, query: { shape: 'species' } });
  const spec = data.spec as SpecBySpecies;
  return { template: data, spec, canonical: spec.canonical as unknown as Canonical };
}
