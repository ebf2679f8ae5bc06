import { safeLine } from '../output/safe-text.ts';
import { status } from '../output/status.ts';
import { count } from '../output/words.ts';
import type { Terminal } from '../world/terminal.ts';
import type { Condition, Finding } from './findings.ts';

/** Findings on one screen; the rest is counted. */
const MAX_SHOWN = 12;

/** Prints each finding with the command that helps. */
export function printFindings(terminal: Terminal, findings: readonly Finding[]): void {
  for (const { state, name, message, command } of findings.slice(0, MAX_SHOWN)) {
    terminal.out(`${status(terminal, state)}  ${safeLine(name)}: ${safeLine(message)}\n`);
    terminal.out(`         ${safeLine(command)}\n`);
  }
  const more = findings.length - MAX_SHOWN;
  if (more > 0) terminal.out(`… and ${more} more; --json lists all of them.\n`);
}

/** One sentence about everything. */
export function summary({ servers, instances }: Condition, findings: readonly Finding[]): string {
  const online = servers.filter((server) => server.status === 'online').length;
  const running = instances.filter((instance) => instance.status === 'running').length;
  const facts = `${online} of ${count(servers.length, 'server')} online, ${running} of ${count(instances.length, 'instance')} running`;
  const problems = findings.filter(({ state }) => state === 'problem').length;
  return problems === 0 ? `All is well: ${facts}.` : `${count(problems, 'problem')}: ${facts}.`;
}
