import type { RuleKind } from '@hortus/contract/resources/notifications';
import type { Rule } from '../rules/store.ts';

/** Rules by kind and account. */
export class RulesByAccount {
  readonly #rules: ReadonlyMap<string, readonly Rule[]>;
  readonly #byId: ReadonlyMap<string, Rule>;

  constructor(rules: readonly Rule[]) {
    this.#rules = Map.groupBy(rules, ({ kind, accountId }) => `${kind} ${accountId}`);
    this.#byId = new Map(rules.map((rule) => [rule.id, rule]));
  }

  of(kind: RuleKind, accountId: string): readonly Rule[] {
    return this.#rules.get(`${kind} ${accountId}`) ?? [];
  }

  all(kind: RuleKind): Rule[] {
    return [...this.#byId.values()].filter((rule) => rule.kind === kind);
  }

  byId(id: string): Rule | undefined {
    return this.#byId.get(id);
  }
}

export const MINUTE_MS = 60_000;

/** Threshold in minutes, in milliseconds. */
export const minutesOf = ({ thresholds: { minutes = 0 } }: Rule): number => minutes * MINUTE_MS;
