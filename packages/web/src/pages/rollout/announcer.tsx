import { useEffect, useRef, useState } from 'react';

const PAUSE_MS = 5_000;

/** Tells screen readers a text politely, at most every five seconds; the newest one is never left out. */
export function Announcer({ text }: { text: string }) {
  const [said, setSaid] = useState(text);
  const saidAt = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, saidAt.current + PAUSE_MS - Date.now());
    const timer = setTimeout(() => {
      saidAt.current = Date.now();
      setSaid(text);
    }, wait);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p className="sr-only" role="status" aria-live="polite">
      {said}
    </p>
  );
}
