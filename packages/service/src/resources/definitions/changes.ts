import type { RevisionChange } from '@hortus/contract/resources/definition-records';
import type { Overrides } from '@hortus/contract/template/overrides';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';
import type { Inputs } from '@hortus/template/inputs/inputs';
import { type Bindings, bindingsOf } from './bindings.ts';
import { overridesOf } from './overrides.ts';
import type { RevisionRow } from './store.ts';

type Compared = Pick<
  RevisionRow,
  'template_id' | 'profile' | 'variant' | 'inputs' | 'secret_inputs' | 'changed_secrets' | 'bindings' | 'overrides'
>;

/** Compares two revisions. Of secrets only the names appear, and whether the value is new. */
export function changesBetween(before: Compared, after: Compared): RevisionChange[] {
  return [
    ...(['template_id', 'profile', 'variant'] as const).flatMap((field) =>
      before[field] === after[field]
        ? []
        : [{ field, change: 'changed' as const, before: before[field], after: after[field] }],
    ),
    ...inputChanges(JSON.parse(before.inputs), JSON.parse(after.inputs)),
    ...secretChanges(before, after),
    ...bindingChanges(bindingsOf(before), bindingsOf(after)),
    ...overrideChanges(overridesOf(before), overridesOf(after)),
  ];
}

function inputChanges(before: Inputs, after: Inputs): RevisionChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name): RevisionChange[] => {
    const field = `inputs.${name}`;
    const [was, is] = [before[name], after[name]];
    if (was === is) return [];
    if (was === undefined) return [{ field, change: 'added', ...(is !== undefined && { after: is }) }];
    return is === undefined
      ? [{ field, change: 'removed', before: was }]
      : [{ field, change: 'changed', before: was, after: is }];
  });
}

function bindingChanges(before: Bindings, after: Bindings): RevisionChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name): RevisionChange[] => {
    const field = `bindings.${name}`;
    const [was, is] = [before, after].map((item) => item[name]?.connection ?? item[name]?.instance);
    if (was === is) return [];
    if (was === undefined) return [{ field, change: 'added', ...(is !== undefined && { after: is }) }];
    return is === undefined
      ? [{ field, change: 'removed', before: was }]
      : [{ field, change: 'changed', before: was, after: is }];
  });
}

/** Values are shown as JSON, because those of a change are single values. */
function overrideChanges(before: Overrides, after: Overrides): RevisionChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name): RevisionChange[] => {
    const field = `overrides.${name}`;
    const [was, is] = [before[name], after[name]].map((item) => item && canonicalJson(item));
    if (was === is) return [];
    if (was === undefined) return [{ field, change: 'added', ...(is !== undefined && { after: is }) }];
    return is === undefined
      ? [{ field, change: 'removed', before: was }]
      : [{ field, change: 'changed', before: was, after: is }];
  });
}

function secretChanges(before: Compared, after: Compared): RevisionChange[] {
  const [had, has] = [before, after].map(({ secret_inputs }) => new Set<string>(JSON.parse(secret_inputs)));
  const renewed: string[] = JSON.parse(after.changed_secrets);
  const names = [...new Set([...(had ?? []), ...(has ?? []), ...renewed])].sort();
  return names.flatMap((name): RevisionChange[] => {
    const field = `secrets.${name}`;
    if (has?.has(name) && !had?.has(name)) return [{ field, change: 'added' }];
    if (had?.has(name) && !has?.has(name)) return [{ field, change: 'removed' }];
    return renewed.includes(name) ? [{ field, change: 'changed' }] : [];
  });
}
