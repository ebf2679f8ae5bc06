import type {
  GardenAction,
  GardenChange,
  GardenCounts,
  GardenFieldChange,
} from '@hortus/contract/resources/garden-records';
import type { ReactNode } from 'react';
import { Section } from '../../parts/page.tsx';
import { Tag } from '../../parts/status.tsx';
import { harmless } from './commit-text.ts';

const WORDS: Readonly<Record<GardenAction, string>> = {
  create: 'to create',
  update: 'to change',
  deploy: 'to deploy',
  archive: 'to archive',
  remove: 'to remove',
  unchanged: 'unchanged',
};

const TONES: Partial<Record<GardenAction, 'leaf' | 'warn' | 'bad'>> = {
  create: 'leaf',
  update: 'warn',
  deploy: 'warn',
  archive: 'bad',
  remove: 'bad',
};

/** "3 to create, 1 to change, 26 unchanged". */
export const countsText = (counts: GardenCounts): string =>
  (Object.keys(WORDS) as GardenAction[])
    .filter((action) => counts[action] > 0)
    .map((action) => `${counts[action].toLocaleString()} ${WORDS[action]}`)
    .join(', ') || 'nothing in the file';

/** The changes of a plan, each with its fields as a diff. `beside` adds what is known about a change, such as its state. */
export function PlanChanges<Change extends GardenChange>({
  title,
  counts,
  changes,
  beside,
}: {
  title: string;
  counts: GardenCounts;
  changes: readonly Change[];
  beside?: (change: Change) => ReactNode;
}) {
  return (
    <Section title={title} note={countsText(counts)} className="mb-9">
      {changes.length === 0 && <p className="text-ink-3">Everything is as the file says.</p>}
      {changes.map((change) => (
        <div key={`${change.kind} ${change.key}`} className="sheet mb-3 overflow-hidden">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-[10px] py-1.5">
            <span className="min-w-0 text-sm [overflow-wrap:anywhere]">
              <span className="text-ink-3">{change.kind}</span> <b>{harmless(change.key)}</b>
            </span>
            <Tag {...(TONES[change.action] && { tone: TONES[change.action] })}>{WORDS[change.action]}</Tag>
            {beside?.(change)}
          </div>
          <Fields change={change} />
        </div>
      ))}
    </Section>
  );
}

function Fields({ change: { fields, action } }: { change: GardenChange }) {
  if (action === 'deploy')
    return (
      <p className="border-t border-line px-[10px] py-1.5 text-sm text-ink-3">Runs otherwise than the file says.</p>
    );
  if (fields.length === 0) return null;
  return (
    <div className="diff border-t border-line">
      {fields.map((field) => (
        <FieldChange key={field.field} field={field} />
      ))}
    </div>
  );
}

function FieldChange({ field: { field, change, before, after, secret } }: { field: GardenFieldChange }) {
  const line = (value: unknown, hidden: string) => `${harmless(field)}: ${secret ? hidden : shown(value)}`;
  return (
    <>
      {change !== 'added' && <del>− {line(before, 'stored, not shown')}</del>}
      {change !== 'removed' && <ins>+ {line(after, change === 'added' ? 'set, not shown' : 'changed, not shown')}</ins>}
    </>
  );
}

const shown = (value: unknown): string =>
  harmless(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none'));
