import type {
  GardenAction,
  GardenChange,
  GardenCounts,
  GardenFieldChange,
  GardenPlan,
} from '@hortus/contract/resources/garden-records';
import { Failure } from '../failure.ts';
import { paint, type Tone } from '../output/paint.ts';
import { safeLine } from '../output/safe-text.ts';
import type { Terminal } from '../world/terminal.ts';

const marks: Readonly<Record<GardenAction, readonly [mark: string, tone: Tone | undefined]>> = {
  create: ['+', 'good'],
  update: ['~', 'warn'],
  deploy: ['↻', 'warn'],
  archive: ['-', 'bad'],
  remove: ['-', 'bad'],
  unchanged: [' ', 'dim'],
};

const words: Readonly<Record<GardenAction, string>> = {
  create: 'to create',
  update: 'to change',
  deploy: 'to deploy',
  archive: 'to archive',
  remove: 'to remove',
  unchanged: 'unchanged',
};

/** Formats a plan: each item with its fields, then how many there are. */
export function gardenPlanText(terminal: Terminal, { changes, counts }: GardenPlan): string {
  const items = changes.map((change) => `${headOf(terminal, change)}\n${fieldsOf(terminal, change)}`);
  return `${items.join('')}${countsText(counts)}.\n`;
}

/** Such as "3 to create, 1 to change, 26 unchanged". */
export function countsText(counts: GardenCounts): string {
  const some = (Object.keys(words) as GardenAction[]).filter((action) => counts[action] > 0);
  return some.length === 0
    ? 'Nothing in the file'
    : some.map((action) => `${counts[action]} ${words[action]}`).join(', ');
}

export function headOf(
  terminal: Terminal,
  { kind, key, action }: Pick<GardenChange, 'kind' | 'key' | 'action'>,
): string {
  const [mark, tone] = marks[action];
  return `${paint(terminal, tone, mark)} ${kind} ${paint(terminal, 'bold', safeLine(key))}`;
}

function fieldsOf(terminal: Terminal, { fields, action }: GardenChange): string {
  if (action === 'deploy') return '    runs otherwise than the file says\n';
  const width = fields.reduce((longest, { field }) => Math.max(longest, field.length), 0);
  return fields.map((field) => `    ${safeLine(field.field).padEnd(width)}  ${valueText(terminal, field)}\n`).join('');
}

function valueText(terminal: Terminal, { change, before, after, secret }: GardenFieldChange): string {
  if (secret) return paint(terminal, 'dim', change === 'added' ? '(set, not shown)' : '(changed, not shown)');
  if (change === 'added') return shown(after);
  if (change === 'removed') return `${paint(terminal, 'dim', shown(before))} → (removed)`;
  return `${paint(terminal, 'dim', shown(before))} → ${shown(after)}`;
}

const shown = (value: unknown): string => safeLine(typeof value === 'string' ? value : JSON.stringify(value));

/** Throws if the plan cannot be applied, with all reasons. */
export function requireApplicable({ problems, unresolved }: GardenPlan): void {
  const lines = [
    ...problems.map(({ field, message }) => `${field}: ${message}`),
    ...unresolved.map((reference) =>
      reference.startsWith('env.')
        ? `The environment variable ${reference.slice('env.'.length)} is not set.`
        : `${reference} has no value.`,
    ),
  ];
  if (lines.length > 0) throw new Failure('refused', lines.join('\n'));
}
