import type { Client } from '@hortus/client/client';
import type { EvacuationPlan, PlannedMove } from '@hortus/contract/resources/evacuations';
import type { Server } from '@hortus/contract/resources/server-records';
import type { Exit } from '../exit-codes.ts';
import { evacuationWords, followEvacuation } from '../following/evacuation.ts';
import { serverNames } from '../lookup/servers.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import { table } from '../output/table.ts';
import { count } from '../output/words.ts';
import type { Terminal } from '../world/terminal.ts';
import type { World } from '../world/world.ts';
import { agree } from './asking.ts';

export interface EvacuationWish {
  readonly at_once: number;
  readonly labels: Readonly<Record<string, string>>;
}

interface How {
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
  readonly wait: boolean;
  readonly timeout: number | undefined;
}

/** Shows the plan, asks, and empties the server. */
export async function evacuate(
  world: World,
  service: Client,
  { id, name }: Server,
  { at_once, labels }: EvacuationWish,
  { dryRun, yes, json, wait, timeout }: How,
): Promise<Exit> {
  const { terminal } = world;
  const body = { at_once, ...(Object.keys(labels).length > 0 && { placement: { labels } }) };
  const order = async (dry_run: boolean) =>
    (await service.call('evacuations.create', { params: { id }, body: { ...body, dry_run } })).data;
  if (dryRun || terminal.interactive) {
    const { plan } = await order(true);
    if (json && dryRun) printJson(terminal, plan);
    else if (!json) terminal.out(planText(terminal, plan));
    if (dryRun) return 'ok';
    const going = plan.moves.filter(({ to_server_id }) => to_server_id !== null).length;
    if (!(await agree(world, `Drain ${name} and move ${going} of ${plan.moves.length}?`, yes))) return 'ok';
  }
  const { evacuation, plan } = await order(false);
  if (evacuation === null) throw new Error('The service returned no evacuation.');
  const hint = `hortus servers evacuations show ${evacuation.id}`;
  if (!wait) {
    if (json) printJson(terminal, evacuation);
    else
      terminal.out(`${name} is drained, and ${count(plan.moves.length, 'move')} begun. ${hint} shows the progress.\n`);
    return 'ok';
  }
  world.leaving(`The evacuation continues. ${hint} shows its progress.`);
  const waitOptions = { timeout, unfinished: `${name} is not empty yet. ${hint} shows the progress.` };
  const nameOf = await serverNames(service);
  const end = await followEvacuation(service, evacuation.id, world, waitOptions, nameOf, !json);
  if (json) printJson(terminal, end);
  else terminal.out(`${evacuationWords(end)}\n`);
  return end.status === 'completed' ? 'ok' : 'failed';
}

/** Formats the plan for the confirmation. */
function planText(terminal: Terminal, { server_name, moves, left_out }: EvacuationPlan): string {
  if (moves.length === 0) return `Nothing is on ${server_name}.\n`;
  const columns = [
    { title: 'What', text: ({ name, tenant_id }: PlannedMove) => (tenant_id === null ? name : `${name} (tenant)`) },
    { title: 'To', text: ({ to_server_name }: PlannedMove) => to_server_name ?? 'stays' },
    { title: 'Volumes', text: ({ volumes }: PlannedMove) => String(volumes.length) },
    { title: 'Why', text: ({ reason }: PlannedMove) => safeLine(reason) },
  ];
  const addresses = [...new Set(moves.flatMap((move) => (move.to_server_id === null ? [] : move.addresses)))];
  const notes = [
    ...(addresses.length > 0 ? [`Update the DNS of these names afterwards: ${addresses.join(', ')}.`] : []),
    ...moves.flatMap(({ warnings }) => warnings.map(({ message }) => `Note: ${safeLine(message)}`)),
    ...(left_out > 0 ? [`${left_out} more follow if you run this again.`] : []),
  ];
  return `${table(terminal, columns, moves)}${notes.map((note) => `${note}\n`).join('')}`;
}
