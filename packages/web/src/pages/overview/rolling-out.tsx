import { rolloutSteps } from '@hortus/contract/actions/steps';
import type { OverviewDeployment, OverviewServer, OverviewStep } from '@hortus/contract/resources/overview';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { lasting, took } from '../../parts/durations.ts';
import { Leaf } from '../../parts/icon.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Section } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';

/** Running deployments with their steps so far. */
export function RollingOut({
  deployments,
  servers,
}: {
  deployments: readonly OverviewDeployment[];
  servers: readonly OverviewServer[];
}) {
  const now = useSeconds(deployments.length > 0);
  if (deployments.length === 0) return null;
  return (
    <Section className="rolling-out" title="Rolling out" more={<Link to="/deployments">Watch</Link>}>
      {deployments.map((deployment) => (
        <Rollout
          key={deployment.id}
          deployment={deployment}
          server={servers.find(({ id }) => id === deployment.server_id)?.name}
          now={now}
        />
      ))}
    </Section>
  );
}

function Rollout({
  deployment,
  server,
  now,
}: {
  deployment: OverviewDeployment;
  server: string | undefined;
  now: number;
}) {
  const { id, name, species, family, revision, started_at, steps } = deployment;
  return (
    <div className="sheet mb-4 px-[18px] pt-[18px] pb-4">
      <div className="mb-3.5 flex items-center gap-3">
        {species && <Mark species={species} family={family} size={40} />}
        <div className="min-w-0 flex-1">
          <h3 className="truncate">
            <Link to="/deployments/$id" params={{ id }}>
              {name ?? id}
            </Link>
          </h3>
          <p className="truncate text-sm text-ink-3">
            {species}, revision {revision}
            {server && ` on ${server}`}
          </p>
        </div>
        {started_at && (
          <span className="text-sm">
            <Status state="running" tone="now">
              {lasting(Math.max(0, now - Date.parse(started_at)))}
            </Status>
          </span>
        )}
      </div>
      <ol className="steps">
        {steps.map((step, place) => (
          <Step key={step.started_at + step.step} step={step} flipped={place % 2 === 1} now={now} />
        ))}
      </ol>
    </div>
  );
}

function Step({
  step: { step, started_at, finished_at },
  flipped,
  now,
}: {
  step: OverviewStep;
  flipped: boolean;
  now: number;
}) {
  const name = Object.hasOwn(rolloutSteps, step) ? rolloutSteps[step as keyof typeof rolloutSteps].name : step;
  const end = finished_at === null ? now : Date.parse(finished_at);
  return (
    <li aria-current={finished_at === null ? 'step' : undefined}>
      <span className="node">{finished_at === null ? <i className="live-dot" /> : <Leaf flipped={flipped} />}</span>
      <span className="truncate">{name}</span>
      <span className="took">{took(Math.max(0, end - Date.parse(started_at)))}</span>
    </li>
  );
}

/** The time, every second while something runs. */
function useSeconds(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
