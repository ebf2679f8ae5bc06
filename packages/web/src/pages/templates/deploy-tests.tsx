import type { DraftDetail, TemplateTest } from '@hortus/contract/resources/drafts';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useApi, useOrder } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Section } from '../../parts/page.tsx';
import { Status, type Tone } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { toastProblem } from '../../parts/toast.tsx';
import { Loaded } from '../../parts/waiting.tsx';

const TONES: Readonly<Record<TemplateTest['status'], Tone>> = {
  deploying: 'now',
  testing: 'now',
  passed: 'ok',
  failed: 'bad',
};

/** Deploy tests of a template on a test server, newest first. */
export function DeployTests({ draft, canTest }: { draft: DraftDetail; canTest: boolean }) {
  const params = { id: draft.id };
  const queries = useQueryClient();
  const query = useApi('drafts.tests', { params });
  const test = useOrder('drafts.test');
  async function begin() {
    await test.mutateAsync({ params, body: {} });
    await queries.invalidateQueries({ queryKey: ['drafts.tests'] });
  }
  return (
    <Section
      title="Deploy tests"
      more={
        canTest && (
          <Button small busy={test.isPending} onClick={() => begin().catch(toastProblem('The test did not start.'))}>
            Test on a server
          </Button>
        )
      }
    >
      <Loaded query={query} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="border-t border-line py-3 text-sm text-ink-2">
              A test deploys this text on a server that is set aside for it, waits until it is healthy, runs its smoke
              checks, and removes everything again. With such a server, publishing needs a passed test.
            </p>
          ) : (
            <ul className="border-t border-line text-sm">
              {data.map((item) => (
                <Test key={item.id} test={item} isOld={item.spec_hash !== draft.spec_hash} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function Test({ test, isOld }: { test: TemplateTest; isOld: boolean }) {
  return (
    <li className="border-b border-line py-2.5">
      <div className="flex items-baseline gap-3">
        <Status state={test.status} tone={TONES[test.status]} />
        <span className="text-ink-3">
          <Time at={test.created_at} ago />
          {isOld && ', of an earlier text'}
        </span>
        <Link to="/deployments/$id" params={{ id: test.deployment_id }} className="link ml-auto">
          Rollout
        </Link>
      </div>
      {test.error && <p className="mt-1 text-bad-ink">{test.error}</p>}
      {test.output && (
        <details className="mt-1">
          <summary className="cursor-pointer text-ink-2">Smoke checks</summary>
          <pre className="mt-1 text-xs whitespace-pre-wrap">{test.output}</pre>
        </details>
      )}
    </li>
  );
}
