import type { RuleKind } from '@hortus/contract/resources/notifications';
import type { EventRow } from '../../events/public.ts';

/** Meaning of an event for rules that follow events: something is wrong with a subject, or over. */
export interface Meaning {
  readonly kind: RuleKind;
  /** A definition. */
  readonly subject: string;
  readonly wrong: boolean;
  /** Reported again although its alert is still open. */
  readonly again?: boolean;
  readonly text?: string;
  readonly fix?: string;
  readonly title?: (name: string) => string;
}

/** Kinds of rules whose alerts events open and resolve. */
export const followed = ['deployment_failed', 'backup_failed'] as const satisfies RuleKind[];

/** Events that may open an alert, and those that may only resolve one. */
export const opening: ReadonlySet<string> = new Set(['deployment.failed', 'audit.backup_failed']);
export const closing: ReadonlySet<string> = new Set([
  'deployment.success',
  'definition.updated',
  'instance.stopped',
  'audit.backup_completed',
]);

type Data = Readonly<Record<string, unknown>>;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Interprets an event. An archived definition or a released instance ends every alert about it. */
export function meaningsOf({ type, resource_id }: Pick<EventRow, 'type' | 'resource_id'>, data: Data): Meaning[] {
  const definition = text(data.definition_id);
  switch (type) {
    case 'deployment.failed':
      // A cancelled deployment did what it was told.
      if (data.status === 'cancelled') return [];
      return [
        {
          kind: 'deployment_failed',
          subject: definition,
          wrong: true,
          // Automatic repairs fail in series.
          again: data.kind !== 'heal',
          title: (name) => `The deployment of ${name} has failed`,
          text: `Status ${text(data.status)}${data.reason ? `, reason ${text(data.reason)}` : ''}.`,
          fix: `hortus logs --deployment ${resource_id}`,
        },
      ];
    case 'deployment.success':
      return [{ kind: 'deployment_failed', subject: definition, wrong: false }];
    case 'audit.backup_failed':
      return [
        {
          kind: 'backup_failed',
          subject: definition,
          wrong: true,
          again: true,
          title: (name) => `A backup of ${name} has failed`,
          text: text(data.error),
          fix: `hortus backups create ${text(data.instance_id)}`,
        },
      ];
    case 'audit.backup_completed':
      return [{ kind: 'backup_failed', subject: definition, wrong: false }];
    case 'definition.updated':
      return data.status === 'archived' ? ended(definition) : [];
    case 'instance.stopped':
      return data.status === 'released' ? ended(definition) : [];
    default:
      return [];
  }
}

const ended = (definition: string): Meaning[] => followed.map((kind) => ({ kind, subject: definition, wrong: false }));
