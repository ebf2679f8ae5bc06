import { command } from '../command.ts';
import { followDeployment, isOver, readDeployment } from '../following/deployment.ts';
import { logLine } from '../following/show-progress.ts';
import { findDeployment } from '../lookup/deployments.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';

export const logs = command({
  name: 'logs',
  summary: 'Show the log of a deployment',
  about: 'Takes the id of a deployment, or the name of an instance for its newest deployment.',
  args: ['deployment'],
  options: { follow: { type: 'boolean', short: 'f', about: 'Follow the log until the deployment has finished.' } },
  examples: [
    ['hortus logs miniflux', 'Log of the newest deployment of an instance.'],
    ['hortus logs -f dep_01j9zq3v5t8x2m4n6p7r9s0abc', 'Follows a running deployment.'],
  ],
  calls: ['deployments.read', 'deployments.list', 'definitions.list', 'instances.deployments'],
  async run({ args, options, json, client, world }) {
    const { terminal } = world;
    const service = await client();
    const id = await findDeployment(service, args.deployment);
    let last = options.follow ? undefined : await readDeployment(service, id);
    if (last && !json) for (const line of last.logs) terminal.out(`${logLine(terminal, line)}\n`);
    if (options.follow) {
      world.leaving(`The deployment continues. hortus logs -f ${id} follows it again.`);
      for await (const { deployment, fresh } of followDeployment(service, id, world, { unfinished: '' })) {
        if (!json) for (const line of fresh) terminal.out(`${logLine(terminal, line)}\n`);
        last = deployment;
      }
    }
    if (last === undefined) return 'ok';
    if (last.log_dropped) terminal.note('A part of this log is no longer kept.\n');
    if (json) printJson(terminal, last.logs);
    else if (last.logs.length === 0 && !isOver(last.status)) terminal.note('The log is empty.\n');
    if (!options.follow || !isOver(last.status)) return 'ok';
    if (last.status === 'success') return 'ok';
    if (!json)
      terminal.note(`${safeLine(last.error ?? `The deployment failed: ${last.reason ?? 'no reason given'}.`)}\n`);
    return 'failed';
  },
});
