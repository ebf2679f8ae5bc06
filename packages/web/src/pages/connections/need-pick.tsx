import type { Binding } from '@hortus/contract/resources/definition-records';
import type { BindingWish } from '@hortus/contract/resources/definitions';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { meets } from '@hortus/template/resolution/needs';
import { useApiWhen } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { SelectField } from '../../parts/select-field.tsx';
import { classLabel } from './class-label.ts';

type Need = Canonical['needs'][number];

/** Chosen targets by need, as `connection:<id>` or `instance:<uid>`. */
export type Chosen = Readonly<Record<string, string>>;

export function bindingsOf(needs: readonly Need[], chosen: Chosen): Record<string, BindingWish> {
  return Object.fromEntries(
    needs.flatMap(({ as }) => {
      const target = chosen[as] ?? '';
      const name = target.slice(target.indexOf(':') + 1);
      if (target === '') return [];
      return [[as, target.startsWith('connection:') ? { connection: name } : { instance: name }] as const];
    }),
  );
}

/** What a definition is bound to, as the choices write it. */
export const chosenOf = (bindings: Readonly<Record<string, Binding>>): Chosen =>
  Object.fromEntries(
    Object.entries(bindings).map(([need, { instance, connection }]) => [
      need,
      instance === undefined ? `connection:${connection}` : `instance:${instance}`,
    ]),
  );

/** What differs from the bindings before; null unbinds a need. */
export function changedBindings(
  needs: readonly Need[],
  before: Chosen,
  after: Chosen,
): Record<string, BindingWish | null> {
  const wishes = bindingsOf(needs, after);
  const changed = needs.filter(({ as }) => (before[as] ?? '') !== (after[as] ?? ''));
  return Object.fromEntries(changed.map(({ as }) => [as, wishes[as] ?? null]));
}

/** One choice for each need of the template: a saved connection, a running instance, or none. */
export function NeedPicks({
  needs,
  serverId,
  chosen,
  about,
  onChange,
}: {
  needs: readonly Need[];
  serverId: string | undefined;
  chosen: Chosen;
  about: (field: string) => string | undefined;
  onChange: (chosen: Chosen) => void;
}) {
  return needs.map((need) => (
    <NeedPick
      key={need.as}
      need={need}
      serverId={serverId}
      value={chosen[need.as] ?? ''}
      problem={about(`bindings.${need.as}`) ?? about(`needs.${need.as}`)}
      onChange={(value) => onChange({ ...chosen, [need.as]: value })}
    />
  ));
}

function NeedPick({
  need,
  serverId,
  value,
  problem,
  onChange,
}: {
  need: Need;
  serverId: string | undefined;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}) {
  const may = useMay();
  const saved = useApiWhen(may('connections:read'), 'connections.list', { query: { per_page: 100 } }).data?.data ?? [];
  const providers =
    useApiWhen(may('definitions:read'), 'connections.providers', { query: { class: need.class, per_page: 100 } }).data
      ?.data ?? [];
  const connections = saved.filter((item) => meets(item.class, need.class));
  // Instances on the chosen server come first: most can be reached only there.
  const near = [...providers].sort((a, b) => Number(b.server_id === serverId) - Number(a.server_id === serverId));
  const none = need.optional ? 'None, or typed in above' : 'Choose one';
  const help =
    connections.length + near.length === 0
      ? `Nothing provides ${classLabel(need.class)} yet. Deploy it first, or save a connection.`
      : undefined;
  return (
    <SelectField
      label={classLabel(need.class)}
      value={value}
      choices={[
        { value: '', label: none },
        ...connections.map(({ id, name }) => ({ value: `connection:${id}`, label: `${name} (saved connection)` })),
        ...near.map(({ instance_uid, species, server_id }) => ({
          value: `instance:${instance_uid}`,
          label: `${instance_uid} (${species}${server_id === serverId ? '' : ', on another server'})`,
        })),
      ]}
      help={help}
      problem={problem}
      onChange={onChange}
    />
  );
}
