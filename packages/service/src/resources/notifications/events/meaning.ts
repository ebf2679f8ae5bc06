import type { RuleKind } from '@hortus/contract/resources/notifications';
import type { EventRow } from '../../events/public.ts';

/** Meaning of an event for rules that follow events: something is wrong with a subject, or over. */
export interface Meaning {
  readonly kind: RuleKind;
  readonly subject: string;
  readonly wrong: boolean;
  /** Reported again although its alert is still open. */
  readonly again?: boolean;
  readonly text?: string;
  readonly fix?: string;
  readonly title?: (name: string) => string;
  readonly definitionId?: string;
  readonly resource?: { readonly type: 'instance' | 'definition'; readonly id: string };
}

/** Kinds of rules whose alerts events open and resolve. */
export const followed = ['deployment_failed', 'backup_failed', 'upgrade_available'] as const satisfies RuleKind[];

/** Events that may open an alert, and those that may only resolve one. */
export const opening: ReadonlySet<string> = new Set([
  'deployment.failed',
  'audit.backup_failed',
  'audit.upgrade_found',
]);
export const closing: ReadonlySet<string> = new Set([
  'deployment.success',
  'definition.updated',
  'instance.stopped',
  'audit.backup_completed',
  'audit.upgrade_begun',
  'audit.upgrade_acknowledged',
]);

type Data = Readonly<Record<string, unknown>>;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Interprets an event. An archived definition or a released instance ends every alert about it. */
export function meaningsOf({ type, resource_id }: Pick<EventRow, 'type' | 'resource_id'>, data: Data): Meaning[] {
  const definition = text(data.definition_id);
  const instance = text(data.instance_id);
  const ofDefinition = { definitionId: definition, resource: { type: 'definition', id: definition } } as const;
  switch (type) {
    case 'deployment.failed':
      // A cancelled deployment did what it was told.
      if (data.status === 'cancelled') return [];
      return [
        {
          ...ofDefinition,
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
          ...ofDefinition,
          kind: 'backup_failed',
          subject: definition,
          wrong: true,
          again: true,
          title: (name) => `A backup of ${name} has failed`,
          text: text(data.error),
          fix: `hortus backups create ${instance}`,
        },
      ];
    case 'audit.backup_completed':
      return [{ kind: 'backup_failed', subject: definition, wrong: false }];
    case 'audit.upgrade_found':
      return [
        {
          definitionId: definition,
          resource: { type: 'instance', id: instance },
          kind: 'upgrade_available',
          subject: instance,
          wrong: true,
          title: (name) => `An upgrade of ${name} is available`,
          text: `Template ${text(data.species)}.`,
          fix: `hortus upgrades apply ${resource_id}`,
        },
      ];
    case 'audit.upgrade_begun':
    case 'audit.upgrade_acknowledged':
      return [{ kind: 'upgrade_available', subject: instance, wrong: false }];
    case 'definition.updated':
      return data.status === 'archived' ? ended(definition, undefined) : [];
    case 'instance.stopped':
      return data.status === 'released' ? ended(definition, instance) : [];
    default:
      return [];
  }
}

const ended = (definition: string, instance: string | undefined): Meaning[] => [
  { kind: 'deployment_failed', subject: definition, wrong: false },
  { kind: 'backup_failed', subject: definition, wrong: false },
  ...(instance === undefined ? [] : [{ kind: 'upgrade_available' as const, subject: instance, wrong: false }]),
];
