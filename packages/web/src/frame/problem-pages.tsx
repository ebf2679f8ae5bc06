import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { problemText } from '../api/problem.ts';
import { Button } from '../parts/button.tsx';

/** Shown instead of a page that failed; the rest of the console stays. */
export function RouteProblem({ error, reset }: ErrorComponentProps) {
  useEffect(() => {
    document.title = 'Something failed · Hortus';
  }, []);
  return (
    <div className="page">
      <h1>This page failed.</h1>
      <p role="alert" className="mt-3 mb-6 max-w-[62ch] text-ink-2">
        {problemText(error)}
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
        <Link className="link" to={'/' as string}>
          Go to the overview
        </Link>
      </p>
    </div>
  );
}
