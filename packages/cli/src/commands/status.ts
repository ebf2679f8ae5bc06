import { command } from '../command-line/command.ts';
import { findingsOf } from '../condition/findings.ts';
import { gather } from '../condition/gather.ts';
import { printFindings, summary } from '../condition/print.ts';
import { printJson } from '../output/json.ts';

export const showStatus = command({
  name: 'status',
  summary: 'Show whether everything is well, and what to do if not',
  about:
    'Problems are servers that are offline, instances that are unhealthy, failed or restarting, failed deployments, and backups that failed or are late. Notes, such as available upgrades, need no action. Exit code 0 means no problems, 1 means at least one.',
  examples: [
    ['hortus status', 'One screen, with a command for each problem.'],
    ['hortus status --json | jq .findings', 'The same as JSON.'],
    ['hortus status > /dev/null || mail-the-team', 'In a script, by the exit code.'],
  ],
  calls: ['servers.list', 'instances.list', 'definitions.list', 'deployments.list', 'backups.list', 'upgrades.list'],
  async run({ json, client, world: { terminal, now } }) {
    const { condition, unchecked } = await gather(await client());
    const findings = findingsOf(condition, now());
    const isWell = findings.every(({ state }) => state === 'note');
    if (json) {
      const { servers, instances } = condition;
      printJson(terminal, {
        well: isWell,
        servers: { total: servers.length, online: servers.filter((server) => server.status === 'online').length },
        instances: {
          total: instances.length,
          running: instances.filter((instance) => instance.status === 'running').length,
        },
        findings,
        unchecked,
      });
    } else {
      printFindings(terminal, findings);
      terminal.out(`${summary(condition, findings)}\n`);
      if (unchecked.length > 0) terminal.note(`Not checked, because the key lacks ${unchecked.join(', ')}.\n`);
    }
    return isWell ? 'ok' : 'failed';
  },
});
