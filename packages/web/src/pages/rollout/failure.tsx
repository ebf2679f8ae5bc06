import type { Instance } from '@hortus/contract/resources/instance-records';
import type { FollowedDeployment } from './followed-deployment.ts';
import { adviceFor } from './outcome.ts';

/** Why a deployment failed, what the container said last, what still runs, and what to do. */
export function Failure({ deployment, instance }: { deployment: FollowedDeployment; instance: Instance | undefined }) {
  const { error, reason, last_lines } = deployment;
  return (
    <div className="failure" role="alert">
      <h2>{error ?? 'The deployment failed.'}</h2>
      <p>{currentRevision(deployment, instance)}</p>
      <p>{adviceFor(reason)}</p>
      {last_lines.length > 0 && (
        <>
          <h3 className="mt-3">Last lines of the container</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard */}
          <section tabIndex={0} aria-label="Last lines of the container">
            <pre>{last_lines.join('\n')}</pre>
          </section>
        </>
      )}
    </div>
  );
}

function currentRevision({ revision }: FollowedDeployment, instance: Instance | undefined): string {
  if (instance?.revision == null || instance.status !== 'running') return 'Nothing of it runs.';
  return instance.revision === revision
    ? `Revision ${revision} runs nevertheless.`
    : `Revision ${instance.revision} keeps running.`;
}
