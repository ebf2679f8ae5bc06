import type { RuleKind } from '@hortus/contract/resources/notifications';

/** Something that a rule found now. */
export interface Finding {
  readonly ruleId: string;
  readonly accountId: string;
  readonly kind: RuleKind;
  /** A rule has at most one unresolved alert for each subject. */
  readonly subject: string;
  /** Since when; null if it is only known that it is so now. */
  readonly since: number | null;
  /** How long it must last. */
  readonly holdMs: number;
  readonly title: string;
  readonly text: string;
  readonly fix: string;
  readonly resourceType: 'server' | 'instance' | 'definition' | 'event';
  readonly resourceId: string;
  readonly serverId: string | null;
}

export const MAX_TITLE_LENGTH = 200;
export const MAX_TEXT_LENGTH = 600;
