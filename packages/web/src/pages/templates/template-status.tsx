import { templateMachine } from '@hortus/contract/machines/template';
import type { TemplateItem } from '@hortus/contract/resources/templates';
import { Status, sentenceCase, type Tone } from '../../parts/status.tsx';

const TONES: Readonly<Record<TemplateItem['status'], Tone>> = { draft: 'idle', validated: 'wait', published: 'ok' };

export function TemplateStatus({ status }: { status: TemplateItem['status'] }) {
  return <Status state={status} tone={TONES[status]} />;
}

/** The way of a template: its states in order, with the present one marked. */
export function TemplateWay({ status }: { status: TemplateItem['status'] }) {
  const { states } = templateMachine;
  return (
    <ol className="segments" aria-label="State">
      {states.map((state) => (
        <li key={state} className="way" aria-current={state === status ? 'step' : undefined}>
          {sentenceCase(state)}
        </li>
      ))}
    </ol>
  );
}
