import type { Deployment, LogLine } from '@hortus/contract/resources/deployment-records';
import { lengthOf, type Step, type StepState } from '@hortus/contract/rollout-steps';
import { took } from '../../parts/durations.ts';
import { Leaf } from '../../parts/icon.tsx';

const WORDS: Readonly<Record<StepState, string>> = {
  done: 'Done',
  running: 'Running',
  failed: 'Failed',
  waiting: 'Not begun',
};

/** The steps as a stem on a common time axis: leaves are done, the bud runs, the dashed rest is to come. */
export function StepList({ steps }: { steps: readonly Step[] }) {
  const times = steps.flatMap(({ spans }) => spans.flat());
  const from = Math.min(...times);
  const whole = Math.max(1, Math.max(...times) - from);
  return (
    <ol className="stem" aria-label="Steps">
      {steps.map((step, place) => (
        <li key={step.id} className={step.state} aria-current={step.state === 'running' ? 'step' : undefined}>
          <span className="bud" aria-hidden="true">
            <Bud step={step} flipped={place % 2 === 1} />
          </span>
          <div className="min-w-0">
            <b>{step.name}</b>
            <span className="sr-only">: {WORDS[step.state]}. </span>
            <span className="about">{step.about}</span>
          </div>
          <svg className="axis" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
            {step.spans.map(([begin, end]) => (
              <rect
                key={`${begin} ${end}`}
                x={((begin - from) / whole) * 97}
                width={Math.max(3, ((end - begin) / whole) * 97)}
                height="4"
                rx="1"
              />
            ))}
          </svg>
          <span className="took">{step.spans.length > 0 && took(lengthOf(step.spans))}</span>
        </li>
      ))}
    </ol>
  );
}

function Bud({ step: { state }, flipped }: { step: Step; flipped: boolean }) {
  if (state === 'done')
    return (
      <span className={flipped ? 'leaf right' : 'leaf'}>
        <Leaf flipped={!flipped} size={23} />
      </span>
    );
  return <i className={`node ${state}`} />;
}

/** What a screen reader hears as the rollout goes on. */
export function announcement(
  steps: readonly Step[],
  deployment: Pick<Deployment, 'status'>,
  lines: readonly LogLine[],
) {
  if (deployment.status === 'success') return 'The deployment succeeded.';
  if (deployment.status === 'failed') return 'The deployment failed.';
  if (lines.length === 0) return 'Waiting for the server.';
  const running = steps.find(({ state }) => state === 'running');
  const done = steps.filter(({ state }) => state === 'done').length;
  return running ? `${running.name} is running, ${done} steps are done.` : '';
}
