import type { Change } from '@hortus/contract/resources/upgrades';
import { counted } from '../../../parts/amount.ts';
import { Section } from '../../../parts/page.tsx';
import { changeWords } from '../change-words.ts';
import { changedLines } from '../changed-lines.ts';

/** What a newer template changes: in words, then as a diff. */
export function Changes({ changes }: { changes: readonly Change[] }) {
  return (
    <>
      <Section title="What changes" note={counted(changes.length, 'change')} className="mb-9">
        <ul className="list-disc pl-5">
          {changes.map((change) => (
            <li key={keyOf(change)} className="py-0.5 [overflow-wrap:anywhere]">
              {changeWords(change)}
            </li>
          ))}
        </ul>
        {changes.length === 0 && <p className="text-ink-3">Only the version changes.</p>}
      </Section>
      {changes.length > 0 && (
        <Section title="As a diff" note="of the template, before values are filled in">
          {changes.map((change) => (
            <Diff key={keyOf(change)} change={change} />
          ))}
        </Section>
      )}
    </>
  );
}

const keyOf = ({ area, component, name }: Change): string => `${area} ${component} ${name}`;

function Diff({ change }: { change: Change }) {
  const { component, area, name, from, to } = change;
  const { removed, added } = changedLines(from, to);
  return (
    <div className="sheet mb-3 overflow-hidden">
      <p className="border-b border-line px-[10px] py-1.5 text-xs text-ink-3">
        {[component, area, name].filter(Boolean).join(' / ')}
      </p>
      <div className="diff">
        {removed.map((line, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity
          <del key={place}>− {line}</del>
        ))}
        {added.map((line, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity
          <ins key={place}>+ {line}</ins>
        ))}
      </div>
    </div>
  );
}
