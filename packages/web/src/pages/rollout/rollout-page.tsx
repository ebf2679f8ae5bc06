import { stepsOf } from '@hortus/contract/rollout-steps';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useApi, useApiWhen } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { Mark } from '../../parts/mark.tsx';
import { RecordPage } from '../../parts/record-page.tsx';
import { sentenceCase } from '../../parts/status.tsx';
import { Since, Time } from '../../parts/time.tsx';
import { Skeleton, Trouble } from '../../parts/waiting.tsx';
import { Announcer } from './announcer.tsx';
import { Doing } from './doing.tsx';
import { Failure } from './failure.tsx';
import { type Followed, type FollowedDeployment, useFollowedDeployment } from './followed-deployment.ts';
import { isFinal } from './outcome.ts';
import { Result } from './result.tsx';
import { RolloutLog } from './rollout-log.tsx';
import { announcement, StepList } from './step-list.tsx';
import { Substitutes } from './substitutes.tsx';

/** One deployment, live: its steps, its log, and where it answers or why it failed. */
export function RolloutPage(): ReactNode {
  const { id } = useParams({ from: '/frame/deployments/$id' });
  const followed = useFollowedDeployment(id);
  const { deployment, error } = followed;
  const crumbs = [
    <Link key="all" to="/deployments">
      Deployments
    </Link>,
    <code key="id">{id}</code>,
  ];
  if (!deployment)
    return (
      <RecordPage title="Deployment" crumbs={crumbs} lead={<span className="block h-[1lh]" />}>
        {error ? <Trouble error={error} /> : <Skeleton lines={12} />}
      </RecordPage>
    );
  return <Rollout key={id} deployment={deployment} followed={followed} crumbs={crumbs} />;
}

function Rollout({
  deployment,
  followed: { lines, error },
  crumbs,
}: {
  deployment: FollowedDeployment;
  followed: Followed;
  crumbs: Parameters<typeof RecordPage>[0]['crumbs'];
}) {
  const { status, revision } = deployment;
  const { definition, species, server, instance, isComing } = useAbout(deployment);
  const isOver = isFinal(status);
  const now = useTicks(!isOver);
  const steps = useMemo(() => stepsOf(lines, { status }, now), [lines, status, now]);
  const name = definition?.name ?? deployment.definition_id;
  return (
    <RecordPage
      title={`${name}, revision ${revision}`}
      crumbs={crumbs}
      picture={
        // Keeps its place until it is known.
        <span className="size-[60px]">
          {definition && <Mark species={definition.species} family={species?.family ?? null} size={60} />}
        </span>
      }
      lead={
        <>
          {definition
            ? `${species?.name ?? definition.species} ${definition.template_version}`
            : sentenceCase(deployment.kind)}
          {server && ` on ${server}`}, {timing(deployment)}
        </>
      }
      actions={<Doing deployment={deployment} instance={instance} />}
    >
      {error !== undefined && <Trouble error={error} />}
      <Announcer text={announcement(steps, { status }, lines)} />
      {status === 'success' && <Result instance={instance} isComing={isComing} revision={revision} />}
      {status === 'failed' && <Failure deployment={deployment} instance={instance} />}
      <div className="rollout-columns">
        <div>
          <StepList steps={steps} />
          <p className="safe">{promise(deployment, instance?.revision ?? null)}</p>
          <Substitutes images={deployment.images} />
        </div>
        <RolloutLog lines={lines} isRunning={!isOver} />
      </div>
    </RecordPage>
  );
}

/** What the deployment is about; only as far as the person may read it. */
function useAbout({ definition_id, instance_id, server_id, status }: FollowedDeployment) {
  const may = useMay();
  const params = { id: definition_id };
  const definition = useApiWhen(may('definitions:read'), 'definitions.read', { params }).data?.data;
  const row = useApiWhen(may('templates:read'), 'catalog.shelf').data?.data;
  const isKnown = instance_id !== null && status !== 'pending' && may('instances:read');
  const instance = useApiWhen(isKnown, 'instances.read', { params: { id: instance_id ?? '' } }).data?.data;
  const servers = useApi('overview.read').data?.data.servers;
  return {
    ...{ definition, instance },
    isComing: isKnown && instance === undefined,
    species: row?.species.find(({ species }) => species === definition?.species),
    server: servers?.find(({ id }) => id === server_id)?.name,
  };
}

function timing({ status, created_at, started_at, finished_at, cancelling }: FollowedDeployment) {
  if (cancelling && !isFinal(status)) return 'being cancelled';
  if (finished_at !== null)
    return (
      <>
        {status === 'success' ? 'finished' : 'failed'} <Time at={finished_at} ago />
      </>
    );
  if (started_at !== null)
    return (
      <>
        running for <Since at={started_at} />
      </>
    );
  return (
    <>
      waiting for its server since <Time at={created_at} ago />
    </>
  );
}

/** What is safe whatever happens. */
function promise({ status, kind, backup_id, gap_ms }: FollowedDeployment, running: number | null): string {
  const kept = backup_id === null ? '' : ' The data from before is in a backup.';
  if (status === 'success') {
    const gap = gap_ms === null ? '' : gap_ms === 0 ? ' There was no downtime.' : ` The downtime was ${gap_ms} ms.`;
    return `The service watches its health for a while and rolls back if it fails.${gap}${kept}`;
  }
  if (status === 'failed') return `Volumes were kept.${kept}`;
  if (running === null || kind === 'test') return `If a step fails, what was created is removed again.${kept}`;
  return `If a step fails, revision ${running} takes over again.${kept}`;
}

/** The time, twice a second while something runs. */
function useTicks(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
