import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { problemText } from '../api/problem.ts';
import { Button } from '../parts/button.tsx';
import { isMissingCode, loadAgain } from './missing-code.ts';

/** Shown instead of a page that failed; the rest of the console stays. A page without its code is loaded again. */
export function RouteProblem({ error, reset }: ErrorComponentProps) {
  const isIncomplete = isMissingCode(error);
  useEffect(() => {
    document.title = 'Something failed · Hortus';
    if (isIncomplete) loadAgain();
  }, [isIncomplete]);
  return (
    <div className="page">
      <h1>This page failed.</h1>
      <p role="alert" className="mt-3 mb-6 max-w-[62ch] text-ink-2">
        {isIncomplete ? 'A part of it was lost on the way. It is loaded again by itself.' : problemText(error)}
      </p>
      <Button onClick={reset}>Try again</Button>
    </div>
  );
}

export function NotFound() {
  useEffect(() => {
    document.title = 'Not found · Hortus';
  }, []);
  return (
    <div className="page">
      <h1>There is nothing here.</h1>
      <p className="mt-3 text-ink-2">
        The address may be mistyped, or what it showed was removed.{' '}
        <Link className="link" to="/">
          Go to the overview
        </Link>
      </p>
    </div>
  );
}
