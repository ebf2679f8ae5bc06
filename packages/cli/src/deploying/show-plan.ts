import type { DeploymentPlan, PlannedComponent } from '@hortus/contract/resources/plan-records';
import { safeLine } from '../output/safe-text.ts';
import { table } from '../output/table.ts';
import type { Terminal } from '../world/terminal.ts';

/** Formats a plan for confirmation. */
export function planText(terminal: Terminal, plan: DeploymentPlan): string {
  const columns = [
    { title: 'Component', text: ({ name }: PlannedComponent) => name },
    { title: 'Change', text: ({ change }: PlannedComponent) => change },
    { title: 'How', text: how },
    { title: 'Reason', text: because },
  ];
  const lines = [
    ...plan.jobs.map(({ component, run, irreversible }) => {
      const when = run === 'before_start' ? 'before the start' : 'after the start';
      return `The job ${component} runs ${when}${irreversible ? ' and cannot be undone' : ''}.`;
    }),
    ...plan.routes.flatMap(({ change, before, after }) => {
      if (change === 'unchanged') return [];
      if (change === 'changed') return [`${before} becomes ${after}.`];
      return [`${after ?? before} is ${change}.`];
    }),
    ...plan.permissions.map(
      ({ component, kind, value, reason, needs_operator }) =>
        `${component} asks for ${kind}${value === null ? '' : ` ${value}`}: ${reason}${needs_operator ? ' The operator of the server must allow it.' : ''}`,
    ),
    ...plan.warnings,
    outlook(plan),
  ];
  return `${table(terminal, columns, plan.components)}${lines.map((line) => `${safeLine(line)}\n`).join('')}`;
}

function how({ strategy, containers, change }: PlannedComponent): string {
  const several = containers > 1 && change !== 'unchanged' ? `${containers} containers` : '';
  if (strategy === null) return several;
  const way = strategy === 'beside' ? 'beside the old one' : 'after the old one has stopped';
  return several === '' ? way : `${several}, ${way}`;
}

function because({ changes }: PlannedComponent): string {
  return changes.map(({ field, drift }) => (drift ? `${field} (drifted)` : field)).join(', ');
}

function outlook({ nothing_to_do, interruption }: DeploymentPlan): string {
  if (nothing_to_do) return 'No changes; there is nothing to deploy.';
  return interruption ? 'The service is interrupted briefly.' : 'The service is not interrupted.';
}
