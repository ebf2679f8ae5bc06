import type { CheckedDraft } from '@hortus/contract/resources/drafts';
import { type FormEvent, useId, useState } from 'react';
import { Button } from '../../../parts/button.tsx';

/** Asks for the ports that a Compose file does not tell: without them the application has no address. */
export function WayIn({
  questions,
  isBusy,
  onReplied,
}: {
  questions: CheckedDraft['questions'];
  isBusy: boolean;
  onReplied: (ports: Readonly<Record<string, number>>) => void;
}) {
  const id = useId();
  const [replies, setReplies] = useState<Readonly<Record<string, string>>>({});
  function submit(event: FormEvent) {
    event.preventDefault();
    // A field that is left empty means that the service needs no way in.
    onReplied(Object.fromEntries(questions.map(({ service }) => [service, Number(replies[service] ?? 0)])));
  }
  return (
    <form className="notice mb-6" onSubmit={submit}>
      <p>Nothing in the file says how to reach the application.</p>
      <div className="mt-3 flex flex-wrap items-end gap-3">
        {questions.map(({ service }) => (
          <div key={service}>
            <label htmlFor={`${id}-${service}`} className="field-label">
              HTTP port of {service}
            </label>
            <input
              id={`${id}-${service}`}
              className="input"
              type="number"
              min={1}
              max={65_535}
              placeholder="none"
              value={replies[service] ?? ''}
              onChange={(event) => setReplies({ ...replies, [service]: event.target.value })}
            />
          </div>
        ))}
        <Button kind="primary" type="submit" busy={isBusy}>
          Lead there
        </Button>
      </div>
    </form>
  );
}
