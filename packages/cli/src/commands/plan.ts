import { command } from '../command.ts';
import { planText } from '../deploying/show-plan.ts';
import { findDefinition } from '../lookup/definitions.ts';
import { printJson } from '../output/json.ts';

export const plan = command({
  name: 'plan',
  summary: 'Show what a deployment of a definition would change, without doing it',
  about:
    'From what the daemon of its server has last reported. The plan_hash in the JSON can be given with an order, which is\nrefused if something else would happen by then; hortus deploy --plan does so.',
  args: ['definition'],
  examples: [
    ['hortus plan landing', 'By uid; an id works too.'],
    ['hortus plan landing --json | jq .interruption', 'For a script that waits for the night.'],
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
