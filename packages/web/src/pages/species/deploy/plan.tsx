import type { OverviewServer } from '@hortus/contract/resources/overview';
import type { DeploymentPreview } from '@hortus/contract/resources/plan-records';
import type { ReactNode } from 'react';
import { memory } from '../../../parts/amount.ts';

interface Row {
  readonly id: string;
  readonly sign?: string;
  readonly verb: string;
  readonly what: string;
  readonly about: ReactNode;
}

/** Pixels of one line, and of what stands around the lines; only to keep the place of a plan that is not there yet. */
const LINE = 24;
const AROUND = 92;

/** What the deployment would do, line by line. `children` stand in its place before the first plan. */
export function Plan({
  plan,
  isStale,
  uid,
  server,
  lines,
  children,
}: {
  plan: DeploymentPreview | undefined;
  isStale: boolean;
  uid: string;
  server: OverviewServer | undefined;
  /** How many lines it will have, about. */
  lines: number;
  children: ReactNode;
}) {
  const free = server?.capacity?.memory?.free;
  const isTight = plan !== undefined && free !== undefined && plan.memory_bytes > free;
  return (
    <section
      className={isStale ? 'plan stale' : 'plan'}
      aria-label="Plan"
      aria-busy={isStale}
      style={{ minHeight: AROUND + lines * LINE }}
    >
      <div className="mb-1.5 flex items-baseline justify-between">
        <h3>Plan</h3>
        {plan && (
          <code className="text-xs text-ink-3" title={plan.spec_hash}>
            {plan.spec_hash.slice(0, 11)}…{plan.spec_hash.slice(-4)}
          </code>
        )}
      </div>
      {plan ? (
        <>
          <ul>
            {rowsOf(plan, uid).map(({ id, sign = '+', verb, what, about }) => (
              <li key={id}>
                <span aria-hidden="true">{sign}</span>
                <span>{verb}</span>
                <span>{what}</span>
                <span>{about}</span>
              </li>
            ))}
          </ul>
          <div className="mt-2 text-sm text-ink-2">
            {plan.placement && <p>{plan.placement.reason}</p>}
            {isTight && (
              <p className="text-warn-ink">
                Its memory limits add up to {memory(plan.memory_bytes)}; {memory(free)} are free on {server?.name}.
              </p>
            )}
            {plan.warnings.map((warning) => (
              <p key={warning} className="text-warn-ink">
                {warning}
              </p>
            ))}
            {plan.permissions.some((permission) => permission.needs_operator) && (
              <p className="text-warn-ink">The operator of the server must allow what is marked with !.</p>
            )}
            <p>Nothing that runs today is touched.</p>
          </div>
        </>
      ) : (
        <p className="text-sm text-ink-2">{children}</p>
      )}
    </section>
  );
}

function rowsOf(plan: DeploymentPreview, uid: string): Row[] {
  const { volumes, jobs, components, routes, permissions } = plan;
  const jobRow = (job: DeploymentPreview['jobs'][number]): Row => ({
    id: `job ${job.component}`,
    verb: 'run',
    what: job.component,
    about: (
      <>
        once, {job.run === 'before_start' ? 'before what waits for it' : 'after the start'}
        {job.irreversible && <small> irreversible</small>}
      </>
    ),
  });
  return [
    ...permissions.map(({ kind, component, value, reason, needs_operator }) => ({
      id: `allow ${kind} ${component} ${value}`,
      sign: needs_operator ? '!' : '+',
      verb: 'allow',
      what: component,
      about: (
        <>
          {kind.replaceAll('_', ' ')} {value} <small>{reason}</small>
        </>
      ),
    })),
    { id: 'network', verb: 'create', what: 'network', about: <b>{uid}</b> },
    ...volumes.map(({ name, critical }) => ({
      id: `volume ${name}`,
      verb: 'create',
      what: 'volume',
      about: (
        <>
          <b>{name}</b> {critical && <small>critical</small>}
        </>
      ),
    })),
    ...jobs.filter(({ run }) => run === 'before_start').map(jobRow),
    ...components
      .filter(({ kind }) => kind === 'service')
      .map(({ name, image, containers }) => ({
        id: `start ${name}`,
        verb: 'start',
        what: name,
        about: (
          <>
            {image?.split('/').at(-1)} {containers > 1 && <small>{containers} containers</small>}
          </>
        ),
      })),
    ...jobs.filter(({ run }) => run === 'after_start').map(jobRow),
    ...routes.map(({ name, after }) => ({ id: `route ${name}`, verb: 'route', what: name, about: after })),
  ];
}
