import { type ReactNode, useEffect } from 'react';
import { Logo } from '../../parts/icon.tsx';
import { PlantOutlines } from '../../parts/plant-outlines.tsx';

/** A page before signing in: a heading, a sentence, one form, and a row of plants that are not there yet. */
export function Outside({ title, sentence, children }: { title: string; sentence?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Hortus`;
  }, [title]);
  return (
    <div className="mx-auto flex min-h-screen max-w-[460px] flex-col px-4 pt-6 pb-10 phone:pt-16">
      <div className="brand mb-10">
        <Logo />
        Hortus
      </div>
      <main>
        <h1>{title}</h1>
        {sentence && <p className="mt-3 text-ink-2">{sentence}</p>}
        <div className="mt-7">{children}</div>
      </main>
      <PlantOutlines count={5} scale={0.6} className="mt-auto pt-12" />
    </div>
  );
}
