import type { SpecBySpecies } from '@hortus/contract/resources/template-spec-shapes';
import type { TemplateItem } from '@hortus/contract/resources/templates';
import { readTemplate } from '../arguments/template-reading.ts';
import { command } from '../command-line/command.ts';
import { printJson } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { safeLine } from '../output/safe-text.ts';
import { facts, table } from '../output/table.ts';
import { count } from '../output/words.ts';
import type { Terminal } from '../world/terminal.ts';

export const catalogList = command({
  name: 'catalog list',
  summary: 'List the species of the catalog',
  options: {
    family: { type: 'string', value: 'family', about: 'Only this family, such as database.' },
    kingdom: { type: 'string', value: 'kingdom', about: 'Only this kingdom, such as applications.' },
  },
  examples: [
    ['hortus catalog list', 'Every species, newest version.'],
    ['hortus catalog list --family database --json', 'One family, as JSON.'],
  ],
  calls: ['templates.list'],
  async run({ options: { family, kingdom }, json, client, world: { terminal } }) {
    const query = { ...(family ? { family } : {}), ...(kingdom ? { kingdom } : {}) };
    const items = await Array.fromAsync((await client()).pages('templates.list', { query }));
    if (json) printJson(terminal, items);
    else if (items.length === 0) terminal.out(`No species${family ? ` in the family ${family}` : ''}.\n`);
    else {
      terminal.out(
        table<TemplateItem>(
          terminal,
          [
            { title: 'Species', text: ({ species, deprecated }) => `${species}${deprecated ? ' (deprecated)' : ''}` },
            { title: 'Family', text: (item) => item.family },
            { title: 'Version', text: ({ app_version, version }) => app_version ?? version },
            { title: 'Description', text: (item) => item.description },
          ],
          items,
        ),
      );
      terminal.out(`${count(items.length, 'species', 'species')}. hortus catalog show <species> shows details.\n`);
    }
    return 'ok';
  },
});

export const catalogShow = command({
  name: 'catalog show',
  summary: 'Show a species: inputs, variants, profiles, actions',
  args: ['species'],
  examples: [['hortus catalog show miniflux', 'Its inputs and actions.']],
  calls: ['templates.read', 'templates.list'],
  async run({ args, json, client, world: { terminal } }) {
    const { template, spec, canonical } = await readTemplate(await client(), args.species);
    if (json) {
      printJson(terminal, template);
      return 'ok';
    }
    const { image, profiles, actions } = canonical;
    terminal.out(`${paint(terminal, 'bold', safeLine(template.name))}\n${safeLine(template.description)}\n\n`);
    terminal.out(
      facts(terminal, [
        ['Species', template.species],
        ['Version', `${template.version}${template.app_version ? `, application ${template.app_version}` : ''}`],
        ['Place', `${template.taxonomy.kingdom}, ${template.family}`],
        ['Image', spec.image],
        [
          'Variants',
          (image?.variants ?? []).map((variant) => `${variant.id}${variant.default ? ' (default)' : ''}`).join(', '),
        ],
        ['Profiles', Object.keys(profiles).join(', ')],
        [
          'Verified',
          template.verified ? `${template.verified.at.slice(0, 10)}, ${template.verified.digest}` : 'never as a whole',
        ],
        ['Spec', template.spec_hash],
      ]),
    );
    terminal.out(inputTable(terminal, spec));
    if (actions.length > 0) {
      const columns = [
        { title: 'Action', text: (action: (typeof actions)[number]) => action.slug },
        { title: 'What it does', text: (action: (typeof actions)[number]) => action.description || action.name },
      ];
      terminal.out(`\n${table(terminal, columns, actions)}`);
    }
    return 'ok';
  },
});

function inputTable(terminal: Terminal, { inputs: { required, optional } }: SpecBySpecies): string {
  const all = [...required, ...optional];
  if (all.length === 0) return '\nIt has no inputs.\n';
  const standard = (catalog: (typeof all)[number]) =>
    catalog.default !== undefined ? String(catalog.default) : catalog.required ? 'required' : '';
  return `\n${table<(typeof all)[number]>(
    terminal,
    [
      { title: 'Input', text: (catalog) => catalog.name },
      { title: 'Type', text: (catalog) => catalog.type },
      { title: 'Default', text: standard },
      { title: 'Meaning', text: (catalog) => catalog.label ?? catalog.description ?? '' },
    ],
    all,
  )}`;
}
