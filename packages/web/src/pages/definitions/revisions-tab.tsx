import type { Definition, Revision } from '@hortus/contract/resources/definition-records';
import { useApi, useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { counted } from '../../parts/amount.ts';
import { Button } from '../../parts/button.tsx';
import { useListSearch } from '../../parts/list-search.ts';
import { Section } from '../../parts/page.tsx';
import { Tag } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { toast, toastProblem } from '../../parts/toast.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { useRedeploy } from '../instance/redeploy.ts';
import { RevisionDiff } from './revision-diff.tsx';

const MAX = 100;

/** Every revision, and two of them side by side; which two is in the URL. */
export function RevisionsTab({ definition }: { definition: Definition }) {
  const [search, change] = useListSearch('/frame/definitions/$id');
  const query = useApi('definitions.revisions', { params: { id: definition.id }, query: { per_page: MAX } });
  return (
    <Loaded query={query} lines={10}>
      {({ data, pagination }) => {
        const right = data.find(({ number }) => String(number) === search.right) ?? data[0];
        const left =
          data.find(({ number }) => String(number) === search.left) ??
          data.find(({ number }) => number < (right?.number ?? 0));
        const others = data.filter((item) => item !== right);
        return (
          <div className="revision-columns">
            <Section title={counted(pagination.total, 'revision')}>
              <ol className="revisions">
                {data.map((revision) => (
                  <li key={revision.number} aria-current={revision === right || undefined}>
                    <button type="button" onClick={() => change({ right: String(revision.number), left: undefined })}>
                      <b>Revision {revision.number}</b>
                      <span>{wordsOf(revision)}</span>
                      <span className="text-ink-3">
                        <Time at={revision.created_at} ago />
                      </span>
                    </button>
                    {revision.current && <Tag tone="leaf">current</Tag>}
                  </li>
                ))}
              </ol>
            </Section>
            {right && (
              <Section
                title={left ? `Revision ${left.number} and ${right.number}` : `Revision ${right.number}`}
                className="min-w-0"
                more={<Restore definition={definition} revision={right} />}
              >
                {others.length > 0 && (
                  <label className="mb-3 flex items-center gap-2 text-sm">
                    Compare with
                    <select
                      className="input filter"
                      value={left?.number ?? ''}
                      onChange={(event) =>
                        change({ right: String(right.number), left: event.target.value || undefined })
                      }
                    >
                      {!left && <option value="">no other</option>}
                      {others.map(({ number }) => (
                        <option key={number} value={number}>
                          revision {number}
                        </option>
                      ))}
                    </select>
                  </label>
                )}
                <RevisionDiff left={left} right={right} />
              </Section>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

/** "2 changes: TITLE, PORT" */
function wordsOf({ number, changes }: Revision): string {
  if (number === 1) return 'The first';
  if (changes.length === 0) return 'No change of settings';
  const names = changes.map(({ field }) => field.replace(/^(inputs|secrets)\./, ''));
  return `${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
}

function Restore({ definition, revision }: { definition: Definition; revision: Revision }) {
  const may = useMay();
  const restore = useOrder('definitions.restore');
  const deploy = useRedeploy(definition.id, definition.name);
  if (revision.current || !may('definitions:write')) return null;
  const order = () =>
    restore
      .mutateAsync({ params: { id: definition.id, number: revision.number } })
      .then(({ data }) => {
        toast(`Revision ${data.current_revision} is the current one. It takes effect when it is deployed.`, {
          action: may('deployments:execute') ? { label: 'Deploy it', run: () => void deploy() } : undefined,
        });
      })
      .catch(toastProblem(`Could not restore revision ${revision.number}.`));
  return (
    <Button small busy={restore.isPending} onClick={order}>
      Restore revision {revision.number}
    </Button>
  );
}
