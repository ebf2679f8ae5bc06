import { type FormEvent, useState } from 'react';
import { fieldProblem, problemText } from '../../api/problem.ts';

/**
 * Sends a form once at a time and keeps what the service said: about a field, or about all of it. With `fields`, what it
 * says about any other field is shown for the whole form, so that nothing is lost.
 */
export function useSubmission(send: () => Promise<void>, fields?: readonly string[]) {
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
  const input = fieldProblem(error);
  // A list is one field of the form, whichever entry of it is wrong.
  const isAbout = (name: string) => input?.field === name || /^[./[]/.test(rest(input?.field, name));
  return {
    busy,
    submit,
    /** What is wrong with a field. */
    about: (name: string) => (isAbout(name) ? input?.text : undefined),
    /** What is wrong with the rest; shown above the button. */
    problem:
      error !== undefined && !(input && (fields ?? [input.field]).some(isAbout)) ? problemText(error) : undefined,
  };
}

const rest = (field = '', name: string): string => (field.startsWith(name) ? field.slice(name.length) : '');
