import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { printJson } from '../output/json.ts';
import { table } from '../output/table.ts';

export const match = command({
  name: 'match',
  summary: 'Find templates that provide a class',
  args: ['class'],
  options: { and: { type: 'string', value: 'class', multiple: true, about: 'Another class to provide.' } },
  examples: [
    ['hortus match database.postgres', 'Best match first.'],
    ['hortus match http.blog --and cache.redis', 'Matches for each class, and the fewest templates that provide all.'],
  ],
  calls: ['match.find'],
  async run({ args, options, json, client, world: { terminal } }) {
    const needs = [args.class, ...options.and].map((name) => ({ class: name }));
    const { data } = await (await client()).call('match.find', { body: { needs } });
    if (json) {
      printJson(terminal, data);
      return 'ok';
    }
    const rows = data.matches.flatMap(({ need, templates }) =>
      templates.map((template) => ({ need: need.class, ...template })),
    );
    type Row = (typeof rows)[number];
    const columns = [
      { title: 'Need', text: ({ need }: Row) => need },
      { title: 'Species', text: ({ species }: Row) => species },
      { title: 'Provides', text: ({ provides }: Row) => provides.join(', ') },
      { title: 'Requires', text: ({ needs: own }: Row) => own.join(', ') },
      { title: 'Description', text: ({ description }: Row) => description },
    ];
    if (rows.length > 0) terminal.out(table(terminal, columns, rows));
    if (data.best.length > 1) terminal.out(`Together: ${data.best.map(({ species }) => species).join(', ')}.\n`);
    if (data.unmet.length > 0) throw new Failure('missing', `No template provides ${data.unmet.join(', ')}.`);
    return 'ok';
  },
});
