import type { Finding } from './finding.ts';

/** An unresolved alert, as far as the evaluation needs it. */
export interface Unresolved {
  readonly id: string;
  readonly rule_id: string | null;
  readonly subject: string;
  readonly status: 'pending' | 'open' | 'resolved';
  readonly since: number;
}

export interface Evaluated<A extends Unresolved> {
  /** First seen, and not as long as the rule demands. */
  readonly watch: readonly Finding[];
  readonly open: readonly { readonly finding: Finding; readonly since: number; readonly alert: A | undefined }[];
  readonly resolve: readonly A[];
  /** Ended before they were opened. */
  readonly drop: readonly A[];
}

/** State of the world. Neither opens nor ends an alert about what cannot be seen at the moment. */
export interface Seen {
  readonly findings: readonly Finding[];
  isHidden(of: Finding | Unresolved): boolean;
  readonly now: number;
}

export const keyOf = (ruleId: string | null, subject: string): string => `${ruleId} ${subject}`;

/** Compares what rules find now with the unresolved alerts. Pure. */
export function evaluate<A extends Unresolved>({ findings, isHidden, now }: Seen, alerts: readonly A[]): Evaluated<A> {
  const known = new Map(alerts.map((alert) => [keyOf(alert.rule_id, alert.subject), alert]));
  const found = new Map(findings.map((finding) => [keyOf(finding.ruleId, finding.subject), finding]));
  const watch: Finding[] = [];
  const open: { finding: Finding; since: number; alert: A | undefined }[] = [];
  for (const [key, finding] of found) {
    const alert = known.get(key);
    if (alert?.status === 'open' || isHidden(finding)) continue;
    const since = finding.since ?? alert?.since ?? now;
    if (since + finding.holdMs <= now) open.push({ finding, since, alert });
    else if (!alert && finding.since === null) watch.push(finding);
  }
  const ended = alerts.filter((alert) => !found.has(keyOf(alert.rule_id, alert.subject)) && !isHidden(alert));
  return {
    watch,
    open,
    resolve: ended.filter(({ status }) => status === 'open'),
    drop: ended.filter(({ status }) => status === 'pending'),
  };
}
