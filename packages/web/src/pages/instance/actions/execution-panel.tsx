import type { Execution } from '@hortus/contract/resources/actions';
import { useApi, useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { Copy } from '../../../parts/copy.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { saveText } from '../../../parts/save-text.ts';
import { Time } from '../../../parts/time.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { Result } from './execution-table.tsx';

const RUNNING: readonly string[] = ['pending', 'sent', 'running'];

/** One execution with its output. It is renewed by its events. */
export function ExecutionPanel({ id }: { id: string }) {
  const query = useApi('actions.read', { params: { execution_id: id } });
  const [, change] = useListSearch('/frame/instances/$id');
  return (
    <section className="sheet mb-8 px-[18px] py-4" aria-label="Execution">
      <Loaded query={query} lines={4}>
        {({ execution }) => <Shown execution={execution} onClose={() => change({ execution: undefined })} />}
      </Loaded>
    </section>
  );
}

function Shown({ execution, onClose }: { execution: Execution; onClose: () => void }) {
  const { name, output, error, created_at, params } = execution;
  const input = Object.entries(params);
  return (
    <>
      <header className="mb-3 flex flex-wrap items-center gap-3">
        <h2 className="mr-auto">{name}</h2>
        <Result execution={execution} />
        <span className="text-sm text-ink-3">
          ordered <Time at={created_at} ago />
        </span>
        <Cancel execution={execution} />
        {output && (
          <>
            <Copy text={output} label="Copy the output" />
            <Button
              small
              square
              aria-label="Download the output"
              onClick={() => saveText(`${execution.id}.txt`, output)}
            >
              <Icon name="down" />
            </Button>
          </>
        )}
        <Button small square kind="quiet" aria-label="Close" onClick={onClose}>
          <Icon name="x" />
        </Button>
      </header>
      {input.length > 0 && (
        <p className="mb-3 text-sm text-ink-2">
          {input.map(([key, value]) => (
            <code key={key} className="mr-3">
              {key}={String(value)}
            </code>
          ))}
        </p>
      )}
      {error && <p className="mb-3 text-bad-ink">{error}</p>}
      <Output execution={execution} />
    </>
  );
}

function Output({
  execution: { output, output_truncated, output_dropped, status, outcome },
}: {
  execution: Execution;
}) {
  if (output)
    return (
      <>
        {output_truncated && <p className="mb-2 text-sm text-ink-3">Only a part of the output was kept.</p>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard */}
        <pre className="output" tabIndex={0}>
          {output}
        </pre>
      </>
    );
  const why = RUNNING.includes(status)
    ? 'Its output arrives when it has ended.'
    : output_dropped
      ? 'Its output was deleted because of its age.'
      : outcome === 'unknown'
        ? 'Its server lost track of it. Check the instance before you run it again.'
        : 'It wrote nothing.';
  return <p className="text-ink-2">{why}</p>;
}

function Cancel({ execution: { id, status, cancelling, name } }: { execution: Execution }) {
  const may = useMay();
  const cancel = useOrder('actions.cancel');
  if (!may('actions:execute') || !RUNNING.includes(status) || cancelling) return null;
  const order = () =>
    cancel
      .mutateAsync({ params: { execution_id: id } })
      .then(() => toast(`Cancelling ${name}.`))
      .catch(toastProblem(`Could not cancel ${name}.`));
  return (
    <Button small busy={cancel.isPending} onClick={order}>
      Cancel
    </Button>
  );
}
