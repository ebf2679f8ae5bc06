import type { SpecBySpecies } from '@hortus/contract/resources/template-spec-shapes';
import Type from 'typebox';
import type { Service } from '../service.ts';
import { facts, listed, paragraphs } from '../text/bounded.ts';
import { cited, oneLine } from '../text/untrusted.ts';
import { readTool } from '../tool.ts';

const species = Type.String({ minLength: 1, maxLength: 64, description: 'Species of the catalog, such as ghost.' });

export const searchCatalog = readTool({
  name: 'search_catalog',
  title: 'Search the catalog',
  description: 'Find applications that can be deployed. Best match first.',
  input: Type.Object(
    {
      query: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, description: 'Words, such as: blog markdown.' }),
      ),
      family: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Such as blog or database.' })),
    },
    { additionalProperties: false },
  ),
  async read({ service }, { query, family }) {
    const { data, pagination } = await service.call('templates.list', {
      query: { ...(query && { q: query }), ...(family && { family }), per_page: 15 },
    });
    return listed(data, (item) => `${item.species} (${item.family}): ${cited(item.description, 140)}`, {
      total: pagination.total,
      none: 'No species matches.',
    });
  },
});

export const showSpecies = readTool({
  name: 'show_species',
  title: 'Show a species',
  description: 'Show the inputs, profiles, variants and volumes of an application of the catalog.',
  input: Type.Object({ species }, { additionalProperties: false }),
  read: ({ service }, args) => speciesText(service, args.species),
});

/** The part of an input of the template format that lists its choices. */
interface Choosable {
  readonly name: string;
  readonly options?: readonly { readonly value: string }[];
}

/** Shown choices of an input; time zones and the like have hundreds. */
const MAX_CHOICES = 20;

/** Describes a species; also the text of its resource. */
export async function speciesText(service: Service, name: string): Promise<string> {
  const { data } = await service.call('templates.read', { params: { species: name }, query: { shape: 'species' } });
  const spec = data.spec as SpecBySpecies;
  const {
    profiles = {},
    image,
    inputs,
  } = spec.canonical as {
    profiles?: object;
    image?: { variants?: { id: string }[] };
    inputs?: { required: Choosable[]; optional: Choosable[] };
  };
  const choicesOf = (name: string) => {
    const all = inputs ? [...inputs.required, ...inputs.optional] : [];
    const { options = [] } = all.find((input) => input.name === name) ?? {};
    const shown = options.slice(0, MAX_CHOICES).map(({ value }) => cited(value, 60));
    const left = options.length - shown.length;
    return options.length > 0 && `one of ${shown.join(' ')}${left > 0 ? ` and ${left} more` : ''}`;
  };
  const about = ({ label, description }: { label?: string; description?: string }) => {
    const text = label ?? description;
    return text !== undefined && cited(text, 120);
  };
  const input = (item: SpecBySpecies['inputs']['required'][number]) =>
    `- ${facts(
      `${item.name} (${item.type})`,
      item.default !== undefined && `default ${oneLine(String(item.default), 60)}`,
      choicesOf(item.name),
      about(item),
    )}`;
  return paragraphs(
    `${data.species} ${data.version} (${data.family}): ${cited(data.description)}`,
    `Required inputs:\n${listed(spec.inputs.required, input)}`,
    `Optional inputs:\n${listed(spec.inputs.optional, input, { max: 25 })}`,
    facts(
      `Profiles: ${Object.keys(profiles).join(' ') || 'development'}`,
      image?.variants !== undefined &&
        image.variants.length > 0 &&
        `variants: ${image.variants.map(({ id }) => id).join(' ')}`,
      `volumes: ${spec.storage.length}`,
    ),
    'Password inputs may be left out; the service generates them. Next: create_instance.',
  );
}
