import type { Client } from '@hortus/client/client';
import type { BindingWish } from '@hortus/contract/resources/definitions';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { assignment } from '../arguments/value-options.ts';
import { Failure } from '../failure.ts';
import { findConnection } from '../lookup/connections.ts';

/** What to bind needs to; null unbinds one. */
export type NeedChanges = Readonly<Record<string, BindingWish | null>>;

/** Reads `mail=connection:Office mail`, `db=instance:pg` and `mail=none`. */
export async function readNeeds(client: Client, spec: Canonical, input: readonly string[]): Promise<NeedChanges> {
  const changes: Record<string, BindingWish | null> = {};
  for (const text of input) {
    const [need, target] = assignment('need', text);
    const known = spec.needs.map(({ as }) => as);
    if (!known.includes(need)) {
      const hint = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`;
      throw new Failure('usage', `${spec.slug} has no need ${need}.`, { hint });
    }
    if (Object.hasOwn(changes, need)) throw new Failure('usage', `The need ${need} is given twice.`);
    const [, kind, name = ''] = /^(connection|instance):(.+)$/s.exec(target) ?? [];
    if (target === 'none') changes[need] = null;
    else if (kind === 'connection') changes[need] = { connection: (await findConnection(client, name)).id };
    else if (kind === 'instance') changes[need] = { instance: name };
    else
      throw new Failure('usage', `--need ${need}= expects connection:<name>, instance:<uid> or none.`, {
        hint: `For example --need ${need}=connection:Office`,
      });
  }
  return changes;
}
