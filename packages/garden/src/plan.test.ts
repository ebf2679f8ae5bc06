import { gardenItemKinds } from '@hortus/contract/resources/garden-records';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FieldValue, nameOf, type PresentItem, type WantedItem } from './items.ts';
import { type Change, hashOf, planGarden, toDo } from './plan.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const value: fc.Arbitrary<FieldValue> = fc.oneof(
  fc.constantFrom('x', 'y', 1, 2, true, false, null),
  fc.array(fc.constantFrom('p', 'q'), { maxLength: 2 }),
);
const item = fc.record({
  kind: fc.constantFrom(...gardenItemKinds),
  key: name,
  fields: fc.dictionary(name, value),
  secrets: fc.dictionary(name, fc.constantFrom('TOP-SECRET-1', 'TOP-SECRET-2')),
});
const unique = <T extends { kind: string; key: string }>(items: fc.Arbitrary<T>) =>
  fc.uniqueArray(items, { selector: ({ kind, key }) => `${kind} ${key}`, maxLength: 12 });

const wantedItems: fc.Arbitrary<WantedItem[]> = unique(item).chain((items) =>
  fc.tuple(...items.map(() => fc.array(fc.nat({ max: 20 }), { maxLength: 2 }))).map((needs) =>
    // Only earlier items are needed, so there is no cycle.
    items.map((item, index) => ({
      ...item,
      needs: [...new Set((needs[index] ?? []).flatMap((at) => (at < index ? [nameOf(items[at] as WantedItem)] : [])))],
    })),
  ),
);
const presentItems: fc.Arbitrary<PresentItem[]> = unique(
  item.chain((item) => fc.boolean().map((settled) => ({ ...item, settled, id: `id ${item.kind} ${item.key}` }))),
);
const garden = fc.record({
  wanted: wantedItems,
  present: presentItems,
  ownedPart: fc.float({ min: 0, max: 1, noNaN: true }),
  prune: fc.boolean(),
});

const ownedOf = (present: readonly PresentItem[], part: number) =>
  new Set(present.slice(0, Math.round(present.length * part)).map(nameOf));

/** Carries out changes by what they say alone; secrets come from the file. */
function carriedOut(
  changes: readonly Change[],
  wanted: readonly WantedItem[],
  present: readonly PresentItem[],
): PresentItem[] {
  const state = new Map(present.map((item) => [nameOf(item), item]));
  const file = new Map(wanted.map((item) => [nameOf(item), item]));
  for (const change of changes) {
    const at = nameOf(change);
    if (change.action === 'archive' || change.action === 'remove') state.delete(at);
    else if (change.action !== 'unchanged') {
      const before = state.get(at);
      const fields: Record<string, FieldValue> = { ...before?.fields };
      const secrets: Record<string, string> = { ...before?.secrets };
      for (const { field, after = null, secret } of change.fields) {
        if (secret) secrets[field] = file.get(at)?.secrets[field] ?? '';
        else if (after === null) delete fields[field];
        else fields[field] = after;
      }
      state.set(at, {
        kind: change.kind,
        key: change.key,
        id: change.id ?? `new ${at}`,
        fields,
        secrets,
        settled: true,
      });
    }
  }
  return [...state.values()];
}

const withoutNulls = (fields: Readonly<Record<string, FieldValue>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, item]) => item !== null));

describe('the plan of a garden', () => {
  it('leads from what is present to what the file says', async () => {
    await fc.assert(
      fc.asyncProperty(garden, async ({ wanted, present, ownedPart, prune }) => {
        const owned = ownedOf(present, ownedPart);
        const after = new Map(
          carriedOut((await planGarden(wanted, present, owned, { prune })).changes, wanted, present).map((item) => [
            nameOf(item),
            item,
          ]),
        );
        for (const item of wanted) {
          const made = after.get(nameOf(item));
          expect(withoutNulls(made?.fields ?? {})).toEqual(withoutNulls(item.fields));
          expect(made?.secrets).toMatchObject(item.secrets);
          expect(made?.settled).toBe(true);
        }
      }),
    );
  });

  it('is empty once it was carried out', async () => {
    await fc.assert(
      fc.asyncProperty(garden, async ({ wanted, present, ownedPart, prune }) => {
        const owned = ownedOf(present, ownedPart);
        const after = carriedOut((await planGarden(wanted, present, owned, { prune })).changes, wanted, present);
        expect(toDo(await planGarden(wanted, after, owned, { prune }))).toEqual([]);
      }),
    );
  });

  it('removes nothing without prune, and with it only what this garden made and what left the file', async () => {
    await fc.assert(
      fc.asyncProperty(garden, async ({ wanted, present, ownedPart, prune }) => {
        const owned = ownedOf(present, ownedPart);
        const inFile = new Set(wanted.map(nameOf));
        const removed = (await planGarden(wanted, present, owned, { prune })).changes
          .filter(({ action }) => action === 'archive' || action === 'remove')
          .map(nameOf);
        const expected = prune ? present.map(nameOf).filter((text) => owned.has(text) && !inFile.has(text)) : [];
        expect(removed.sort()).toEqual(expected.sort());
      }),
    );
  });

  it('orders each change after the changes that it needs, and removals last', async () => {
    await fc.assert(
      fc.asyncProperty(garden, async ({ wanted, present, ownedPart, prune }) => {
        const { changes } = await planGarden(wanted, present, ownedOf(present, ownedPart), { prune });
        const at = new Map(changes.map((change, index) => [nameOf(change), index]));
        for (const change of changes)
          for (const need of change.needs) expect(at.get(need)).toBeLessThan(at.get(nameOf(change)) ?? -1);
        const removal = changes.findIndex(({ action }) => action === 'archive' || action === 'remove');
        if (removal !== -1)
          expect(changes.slice(removal).every(({ action }) => action === 'archive' || action === 'remove')).toBe(true);
      }),
    );
  });

  it('never contains the value of a secret', async () => {
    await fc.assert(
      fc.asyncProperty(garden, async ({ wanted, present, ownedPart, prune }) => {
        const plan = await planGarden(wanted, present, ownedOf(present, ownedPart), { prune });
        expect(JSON.stringify(plan)).not.toContain('TOP-SECRET');
      }),
    );
  });

  it('has the same hash for the same changes, whatever the order of the file', async () => {
    await fc.assert(
      fc.asyncProperty(garden, async ({ wanted, present, ownedPart, prune }) => {
        const free = wanted.map((item) => ({ ...item, needs: [] }));
        const owned = ownedOf(present, ownedPart);
        const hash = async (items: readonly WantedItem[], there: readonly PresentItem[]) =>
          hashOf('home', await planGarden(items, there, owned, { prune }), '');
        expect(await hash([...free].reverse(), [...present].reverse())).toBe(await hash(free, present));
      }),
    );
  });

  const blog = { kind: 'definition', key: 'blog', secrets: {}, needs: [] } as const;
  const there = { ...blog, id: 'def_1', settled: true };

  it('keeps a required field that the file leaves out', async () => {
    const wanted = { ...blog, fields: {}, keeps: ['inputs.DOMAIN'] };
    const present = { ...there, fields: { 'inputs.DOMAIN': 'blog.localhost', 'inputs.TITLE': 'Notes' } };
    const { changes } = await planGarden([wanted], [present], new Set(), { prune: false });
    expect(changes[0]?.fields).toEqual([{ field: 'inputs.TITLE', change: 'removed', before: 'Notes' }]);
  });

  it('refuses a change of a fixed field and says what to do instead', async () => {
    const present = { ...there, fields: { server: 'a' }, fixed: { server: 'migrate it' } };
    const { problems } = await planGarden([{ ...blog, fields: { server: 'b' } }], [present], new Set(), {
      prune: false,
    });
    expect(problems).toEqual([{ field: 'definitions.blog.server', message: 'migrate it' }]);
  });

  it('deploys again what equals the file but does not run', async () => {
    const present = { ...there, fields: {}, settled: false };
    const { changes } = await planGarden([{ ...blog, fields: {} }], [present], new Set(), { prune: false });
    expect(changes).toMatchObject([{ action: 'deploy', fields: [] }]);
  });
});
