import { alertMachine } from '@hortus/contract/machines/alert';
import { step } from '@hortus/contract/machines/machine';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evaluate, keyOf, type Unresolved } from './evaluate.ts';
import type { Finding } from './finding.ts';

const HOLD = 3;

const finding = (subject: string, since: number | null): Finding => ({
  ruleId: 'rul_1',
  accountId: 'acc_1',
  kind: 'instance_unhealthy',
  subject,
  since,
  holdMs: HOLD,
  title: '',
  text: '',
  fix: '',
  resourceType: 'instance',
  resourceId: subject,
  serverId: null,
});

type Alert = Unresolved & { readonly log: readonly string[] };

/** Applies an evaluation as the service does, through the state machine. */
function apply(alerts: readonly Alert[], ended: Alert[], seen: Parameters<typeof evaluate>[0]): Alert[] {
  const { watch, open, resolve, drop } = evaluate(seen, alerts);
  const moved = (from: Unresolved['status'] | null, move: string) => {
    const to = step(alertMachine, from, move)?.to;
    if (to === undefined) throw new Error(`${from} cannot ${move}`);
    return to;
  };
  const next = new Map(alerts.map((alert) => [alert.id, alert]));
  for (const alert of drop) next.delete(alert.id);
  for (const alert of resolve) {
    next.delete(alert.id);
    ended.push({ ...alert, status: moved(alert.status, 'resolve'), log: [...alert.log, `resolved ${seen.now}`] });
  }
  for (const { subject } of watch) {
    const id = `${subject} ${seen.now}`;
    next.set(id, { id, rule_id: 'rul_1', subject, status: moved(null, 'watch'), since: seen.now, log: [] });
  }
  for (const {
    finding: { subject },
    since,
    alert,
  } of open) {
    const id = alert?.id ?? `${subject} ${seen.now}`;
    const status = moved(alert?.status ?? null, 'open');
    next.set(id, { id, rule_id: 'rul_1', subject, since, status, log: [`opened ${seen.now}`] });
  }
  return [...next.values()];
}

const subjects = ['a', 'b', 'c'];
/** What is seen in each round: for each subject well, ill, or hidden. */
const rounds = fc.array(fc.tuple(...subjects.map(() => fc.constantFrom('well', 'ill', 'hidden'))), { maxLength: 40 });

it('an alert is opened once, only after it has lasted, and resolved once, whatever happens in between', () => {
  fc.assert(
    fc.property(rounds, fc.boolean(), (seen, known) => {
      let alerts: Alert[] = [];
      const ended: Alert[] = [];
      const illSince = new Map<string, number>();
      for (const [now, states] of seen.entries()) {
        const of = new Map(subjects.map((subject, index) => [subject, states[index]]));
        for (const subject of subjects) {
          if (of.get(subject) === 'well') illSince.delete(subject);
          else if (of.get(subject) === 'ill' && !illSince.has(subject)) illSince.set(subject, now);
        }
        const ill = subjects.filter((subject) => of.get(subject) === 'ill');
        const before = alerts;
        alerts = apply(alerts, ended, {
          findings: ill.map((subject) => finding(subject, known ? (illSince.get(subject) ?? now) : null)),
          isHidden: ({ subject }) => of.get(subject) === 'hidden',
          now,
        });
        // At most one unresolved alert of a rule and subject.
        expect(new Set(alerts.map((alert) => keyOf(alert.rule_id, alert.subject))).size).toBe(alerts.length);
        for (const subject of subjects) {
          const open = alerts.find((alert) => alert.subject === subject && alert.status === 'open');
          const since = illSince.get(subject);
          if (of.get(subject) === 'ill') expect(open !== undefined).toBe(now - (since ?? now) >= HOLD);
          if (of.get(subject) === 'well') expect(alerts.some((alert) => alert.subject === subject)).toBe(false);
          // What cannot be seen neither opens nor ends an alert.
          if (of.get(subject) === 'hidden')
            expect(alerts.filter((alert) => alert.subject === subject)).toEqual(
              before.filter((alert) => alert.subject === subject),
            );
        }
      }
      for (const { log } of ended) expect(log.map((line) => line.split(' ')[0])).toEqual(['opened', 'resolved']);
    }),
    { numRuns: 500 },
  );
});
