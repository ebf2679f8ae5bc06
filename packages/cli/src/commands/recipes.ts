import type { Recipe } from '@hortus/contract/resources/recipes';
import { parse } from '@hortus/template/source/parse';
import { contentOf } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { printDone, printList, printRecord } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { status } from '../output/status.ts';
import { ago } from '../output/words.ts';

export const recipesList = command({
  name: 'recipes list',
  summary: 'List recipes: templates submitted by users',
  options: {
    mine: { type: 'boolean', about: 'Recipes of your account, in every status.' },
    pending: { type: 'boolean', about: 'Recipes that wait for review (admins only).' },
  },
  examples: [
    ['hortus recipes list', 'Approved recipes.'],
    ['hortus recipes list --mine', 'Status of your own recipes.'],
  ],
  calls: ['recipes.list', 'recipes.mine', 'recipes.pending'],
  async run(call) {
    const { mine, pending } = call.options;
    if (mine && pending) throw new Failure('usage', 'Use either --mine or --pending.');
    const client = await call.client();
    const name = mine ? 'recipes.mine' : pending ? 'recipes.pending' : 'recipes.list';
    const rows: Recipe[] = await Array.fromAsync(client.pages(name));
    const columns = [
      { title: 'Recipe', text: ({ slug }: Recipe) => slug },
      { title: 'Name', text: ({ name: called }: Recipe) => called },
      { title: 'By', text: ({ author }: Recipe) => author },
      { title: 'Status', painted: (recipe: Recipe) => status(call.world.terminal, recipe.status) },
      { title: 'Votes', text: ({ upvotes }: Recipe) => String(upvotes) },
      { title: 'Submitted', text: ({ created_at }: Recipe) => ago(created_at, call.world.now()) },
      { title: 'Id', text: ({ id }: Recipe) => id },
    ];
    return printList(call, rows, columns, 'No recipes. Submit one with hortus recipes submit <file>');
  },
});

export const recipesShow = command({
  name: 'recipes show',
  summary: 'Show a recipe by its slug or id',
  args: ['recipe'],
  examples: [['hortus recipes show inkwell --json | jq -r .spec', 'Its template.']],
  calls: ['recipes.bySlug', 'recipes.read'],
  async run(call) {
    const { recipe } = call.args;
    const client = await call.client();
    const { data } = recipe.startsWith('rcp_')
      ? await client.call('recipes.read', { params: { id: recipe } })
      : await client.call('recipes.bySlug', { params: { slug: recipe } });
    return printRecord(call, data, [
      ['Recipe', data.slug],
      ['Name', data.name],
      ['By', data.author],
      ['Status', { painted: status(call.world.terminal, data.status) }],
      ['Reason', data.reason],
      ['Votes', String(data.upvotes)],
      ['Description', data.description],
      ['Submitted', ago(data.created_at, call.world.now())],
      ['Id', data.id],
    ]);
  },
});

export const recipesSubmit = command({
  name: 'recipes submit',
  summary: 'Submit a template for review',
  args: ['file'],
  options: {
    name: { type: 'string', value: 'text', about: 'Name; default is that of the template.' },
    description: { type: 'string', value: 'text', about: 'Description; default is that of the template.' },
  },
  examples: [['hortus recipes submit template.yaml', 'Lists errors; you can edit the recipe until it is reviewed.']],
  calls: ['recipes.submit'],
  async run(call) {
    const spec = await contentOf(call.args.file);
    const written = parse(spec).value as { slug?: string; name?: string; description?: string } | undefined;
    const { slug, name, description } = written ?? {};
    if (slug === undefined) throw new Failure('usage', `${call.args.file} is not a template: it has no slug.`);
    const body = {
      slug,
      name: call.options.name ?? name ?? slug,
      description: call.options.description ?? description ?? name ?? slug,
      spec,
    };
    const { data } = await (await call.client()).call('recipes.submit', { body });
    return printDone(call, data, `${data.slug} waits for review (${data.id}).`);
  },
});
