import { type FormEvent, useState } from 'react';
import { fieldProblem, problemText } from '../../api/problem.ts';

/** Sends a form once at a time and keeps what the service said: about a field, or about all of it. */
export function useSubmission(send: () => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await send();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  }
  const field = fieldProblem(error);
  return {
    busy,
    submit,
    /** What is wrong with a field. */
    about: (name: string) => (field?.field === name ? field.text : undefined),
    /** What is wrong with the rest; shown above the button. */
    problem: error !== undefined && !field ? problemText(error) : undefined,
  };
}
