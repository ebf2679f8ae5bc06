import type { Deployment } from '@hortus/contract/resources/deployment-records';
import type { Instance } from '@hortus/contract/resources/instance-records';
import type { DeploymentPlan, DeploymentPreview, PlannedComponent } from '@hortus/contract/resources/plan-records';
import { facts } from './bounded.ts';
import { cited, oneLine } from './untrusted.ts';

export const instanceLine = (instance: Instance): string =>
  facts(
    `${instance.instance_uid} (${instance.id})`,
    instance.species,
    `${instance.status}/${instance.health}`,
    instance.url,
    instance.drift.length > 0 && 'drifted',
  );

export const deploymentLine = (deployment: Deployment): string =>
  facts(
    `${deployment.id} ${deployment.kind} of revision ${deployment.revision}`,
    deployment.status,
    deployment.finished_at ?? deployment.started_at ?? deployment.created_at,
    deployment.reason && `reason ${deployment.reason}`,
    deployment.error && `error ${cited(deployment.error)}`,
  );

/** Describes what a deployment would do. Values of changes stay out: a plan is read for its effects. */
export function planText(plan: DeploymentPlan | DeploymentPreview): string {
  const { components, jobs, routes, permissions, warnings } = plan;
  const lines = [
    ...components.map(componentLine),
    ...jobs.map(({ component, run, irreversible }) =>
      facts(
        `job ${component} runs ${run === 'before_start' ? 'before' : 'after'} the start`,
        irreversible && 'irreversible',
      ),
    ),
    ...routes
      .filter(({ change }) => change !== 'unchanged')
      .map(({ change, before, after }) => `route ${change}: ${[before, after].filter(Boolean).join(' → ')}`),
    ...permissions.map(
      ({ component, kind, value, needs_operator }) =>
        `${component} needs ${kind}${value === null ? '' : ` ${oneLine(value, 100)}`}${needs_operator ? '; the operator of the server must allow it' : ''}`,
    ),
    ...warnings.map((warning) => `warning: ${oneLine(warning)}`),
  ];
  if ('interruption' in plan) {
    lines.push(
      plan.nothing_to_do ? 'no changes' : plan.interruption ? 'causes a short downtime' : 'causes no downtime',
    );
  }
  return lines.map((line) => `- ${line}`).join('\n');
}

const componentLine = ({ name, change, image, strategy, changes }: PlannedComponent): string =>
  facts(
    `${name} ${change}`,
    image && `image ${oneLine(image, 120)}`,
    strategy,
    changes.length > 0 &&
      `because of ${changes
        .map(({ field }) => oneLine(field, 60))
        .slice(0, 10)
        .join(', ')}`,
  );
