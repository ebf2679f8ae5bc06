import { steps } from '@hortus/contract/actions/steps';
import type { DeploymentDetail } from '@hortus/contract/resources/deployment-records';
import { Link } from '@tanstack/react-router';
import { useApi } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { saveText } from '../../parts/save-text.ts';
import { Loaded } from '../../parts/waiting.tsx';

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** The log of a deployment: each line with its step, and the last words of a container that died. */
export function DeploymentLog({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useApi('deployments.read', { params: { id } });
  return (
    <section className="sheet mb-6 px-[18px] py-4" aria-label="Log of the deployment">
      <Loaded query={query} lines={6}>
        {({ data }) => (
          <>
            <header className="mb-3 flex flex-wrap items-center gap-3">
              <h2 className="mr-auto">Log</h2>
              <Link to="/deployments/$id" params={{ id }} className="link text-sm">
                Open the rollout
              </Link>
              <Copy text={textOf(data)} label="Copy the log" />
              <Button small square aria-label="Download the log" onClick={() => saveText(`${id}.log`, textOf(data))}>
                <Icon name="down" />
              </Button>
              <Button small square kind="quiet" aria-label="Close" onClick={onClose}>
                <Icon name="x" />
              </Button>
            </header>
            {data.error && <p className="mb-3 text-bad-ink">{data.error}</p>}
            <Lines deployment={data} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Lines({ deployment: { logs, last_lines, log_dropped, logs_truncated } }: { deployment: DeploymentDetail }) {
  return (
    <>
      {log_dropped && <p className="mb-2 text-sm text-ink-3">Older lines were deleted because of their age.</p>}
      {logs.length === 0 ? (
        <p className="text-ink-2">Nothing was written yet.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard
        <div className="output" tabIndex={0} role="log" aria-label="Lines" aria-live="off">
          {logs.map(({ number, at, level, step, message }) => (
            <p key={number} className={level === 'error' ? 'text-bad-ink' : level === 'warn' ? 'text-warn-ink' : ''}>
              <time dateTime={at} title={at} className="mr-3 text-ink-3">
                {clock.format(Date.parse(at))}
              </time>
              <span className="mr-3 text-ink-3">{nameOf(step)}</span>
              {message}
            </p>
          ))}
        </div>
      )}
      {logs_truncated && <p className="mt-2 text-sm text-ink-3">There are more lines on the page of the rollout.</p>}
      {last_lines.length > 0 && (
        <>
          <h3 className="mt-4 mb-2">The last lines of the container</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: as above */}
          <pre className="output" tabIndex={0}>
            {last_lines.join('\n')}
          </pre>
        </>
      )}
    </>
  );
}

const nameOf = (step: string | null): string =>
  step !== null && Object.hasOwn(steps, step) ? steps[step as keyof typeof steps].name : (step ?? '');

const textOf = ({ logs }: DeploymentDetail): string =>
  logs.map(({ at, step, message }) => `${at} ${nameOf(step)} ${message}\n`).join('');
