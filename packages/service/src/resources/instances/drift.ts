import { isDeepStrictEqual } from 'node:util';
import type { Drift, Instance } from '@hortus/contract/resources/instance-records';
import { type Mask, maskOf } from '@hortus/template/masking/masking';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NamedRow } from './lists/store.ts';
import { type Instances, released } from './service.ts';
import { writeDrift } from './store.ts';

export interface DriftsDeps {
  readonly reader: Queries;
  readonly instances: Pick<Instances, 'find' | 'lock' | 'record'>;
  /** Reads the secret values of a definition. */
  readonly secretsOf: (
    queries: Queries,
    owner: { readonly accountId: string; readonly definitionId: string },
  ) => Promise<string[]>;
  /** Schedules healing, if the definition enables it. */
  readonly heal: (tx: Tx, instance: NamedRow) => Promise<void>;
}

/** Records how instances differ from what was deployed, as reported by daemons. */
export class Drifts {
  readonly #deps: DriftsDeps;
  constructor(deps: DriftsDeps) {
    this.#deps = deps;
  }

  /** Masks secrets in a report. Outside the transaction, because masking yields to the event loop. */
  async prepare(principal: Principal, id: string, reported: readonly Drift[]): Promise<Drift[]> {
    const { reader, instances, secretsOf } = this.#deps;
    const { account_id, definition_id } = await instances.find(reader, principal, id);
    const owner = { accountId: account_id, definitionId: definition_id };
    const mask = await maskOf(reported.length === 0 ? [] : await secretsOf(reader, owner));
    const drift: Drift[] = [];
    for (const { field, declared, actual, component = null } of reported)
      drift.push({
        component,
        field: await mask(field),
        declared: await shown(declared, mask),
        actual: await shown(actual, mask),
      });
    return drift;
  }

  /** A report without news writes nothing. */
  async report(tx: Tx, principal: Principal, id: string, drift: readonly Drift[]): Promise<Instance> {
    const { instances, heal } = this.#deps;
    const row = await instances.lock(tx, principal, id);
    if (row.status === 'released') throw released();
    const before = JSON.parse(row.drift) as Drift[];
    if (isDeepStrictEqual(before, drift)) return instances.record(row);
    const since = drift.length === 0 ? null : (row.drifted_at ?? tx.now);
    const columns = { drift: JSON.stringify(drift), drifted_at: since };
    await writeDrift(tx, id, columns);
    const appeared = before.length === 0;
    if (appeared || drift.length === 0) await notify(tx, row, appeared ? drift : before, appeared, actorOf(principal));
    const changed = { ...row, ...columns };
    if (drift.length > 0) await heal(tx, changed);
    return instances.record(changed);
  }
}

const MAX_TEXT_LENGTH = 1_024;
const MAX_VALUE_LENGTH = 4_096;

/** Masks a value and limits its length. */
async function shown(value: unknown, mask: Mask): Promise<unknown> {
  const masked = await maskedIn(value, mask);
  return JSON.stringify(masked).length > MAX_VALUE_LENGTH ? '(too long to show)' : masked;
}

async function maskedIn(value: unknown, mask: Mask): Promise<unknown> {
  if (typeof value === 'string') return (await mask(value)).slice(0, MAX_TEXT_LENGTH);
  if (value === null || typeof value !== 'object') return value ?? null;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await maskedIn(item, mask));
    return items;
  }
  const entries: [string, unknown][] = [];
  for (const [name, item] of Object.entries(value)) entries.push([await mask(name), await maskedIn(item, mask)]);
  return Object.fromEntries(entries);
}

/** Audits only when drift appears and disappears; details are in the record. */
const notify = (tx: Tx, row: NamedRow, drift: readonly Drift[], appeared: boolean, actor: string) =>
  append(tx, {
    type: appeared ? 'audit.drift_found' : 'audit.drift_cleared',
    accountId: row.account_id,
    resourceType: 'instance',
    resourceId: row.id,
    actor,
    data: {
      instance_id: row.id,
      definition_id: row.definition_id,
      server_id: row.server_id,
      revision: row.revision,
      drift: drift.slice(0, 50).map(({ component, field }) => ({ component, field })),
    },
  });
