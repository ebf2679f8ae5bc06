import { command } from '../command-line/command.ts';
import { configFinding, dockerFinding, type Finding, nodeFinding, serviceFindings } from '../doctor/checks.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import { status } from '../output/status.ts';
import { count } from '../output/words.ts';

export const doctor = command({
  name: 'doctor',
  summary: 'Check settings, service, key, clock, servers, host names and Docker',
  examples: [
    ['hortus doctor', 'One line per check; exit code 1 if there is a problem.'],
    ['hortus doctor --json', 'The same as JSON.'],
  ],
  calls: ['health.read', 'account.read', 'servers.list', 'overview.read'],
  async run({ settings, json, world }) {
    const { terminal } = world;
    const findings: Finding[] = [];
    const print = (finding: Finding) => {
      findings.push(finding);
      const { check, state, said } = finding;
      if (!json)
        terminal.out(
          `${status(terminal, state).padEnd(terminal.live ? 9 : 7)}  ${check.padEnd(8)}  ${safeLine(said)}\n`,
        );
    };
    print(nodeFinding(process.versions.node));
    const known = await settings();
    print(await configFinding(known));
    for await (const finding of serviceFindings(world, known)) print(finding);
    print(await dockerFinding(world));
    const problems = findings.filter(({ state }) => state === 'problem').length;
    if (json) printJson(terminal, findings);
    else terminal.out(problems === 0 ? 'No problems found.\n' : `${count(problems, 'problem')} found.\n`);
    return problems === 0 ? 'ok' : 'failed';
  },
});
