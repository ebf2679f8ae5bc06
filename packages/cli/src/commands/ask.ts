import { command } from '../command-line/command.ts';
import { printJson } from '../output/json.ts';
import { safeLine, safeText } from '../output/safe-text.ts';

export const ask = command({
  name: 'ask',
  summary: 'Ask the assistant about the catalog and Hortus',
  args: ['question'],
  examples: [["hortus ask 'Which template gives me a blog with comments?'", 'Prints the answer and its sources.']],
  calls: ['copilot.ask'],
  async run({ args, json, client, world: { terminal } }) {
    const { data } = await (await client()).call('copilot.ask', { body: { question: args.question } });
    if (json) {
      printJson(terminal, data);
      return 'ok';
    }
    terminal.out(`${safeText(data.answer)}\n`);
    for (const { title, reference } of data.sources) terminal.out(`${safeLine(`  ${title} (${reference})`)}\n`);
    terminal.note(`${data.usage.remaining} of ${data.usage.limit} questions left this month.\n`);
    return data.found ? 'ok' : 'missing';
  },
});
