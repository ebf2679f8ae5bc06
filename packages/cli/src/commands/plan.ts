import { command } from '../command-line/command.ts';
import { planText } from '../deploying/show-plan.ts';
import { findDefinition } from '../lookup/definitions.ts';
import { printJson } from '../output/json.ts';

export const plan = command({
  name: 'plan',
  summary: 'Show what a deployment of a definition would change',
  about:
    'Based on the last report of the daemon on its server. An order that carries the plan_hash of the JSON is refused if the plan has\nchanged meanwhile; hortus deploy --plan does this.',
  args: ['definition'],
  examples: [
    ['hortus plan landing', 'By uid or id.'],
    ['hortus plan landing --json | jq .interruption', 'For a script that avoids interruptions during the day.'],
  ],
  calls: ['definitions.list', 'definitions.read', 'deployments.plan'],
  async run({ args, json, client, world: { terminal } }) {
    const service = await client();
    const { id } = await findDefinition(service, args.definition);
    const { data } = await service.call('deployments.plan', { params: { id } });
    if (json) printJson(terminal, data);
    else terminal.out(planText(terminal, data));
    return 'ok';
  },
});
