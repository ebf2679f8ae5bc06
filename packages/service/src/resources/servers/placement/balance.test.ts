import { expect, it } from 'vitest';
import type { Principal } from '../../../identity/principal.ts';
import type { Queries } from '../../../storage/storage.ts';
import { Balances, type BalancesDeps } from './balance.ts';

const GIB = 1024 ** 3;
const principal = { kind: 'user', accountId: 'acc_1', permissions: ['definitions:read'] } as unknown as Principal;

/** A full server with many definitions, and two empty ones. */
function open(isBlocked: (definitionId: string, to: string) => boolean) {
  const servers = ['full', 'empty-1', 'empty-2'].map((id) => ({
    id,
    name: id,
    status: 'online',
    trusted: true,
    capacity: { memory: 64 * GIB },
  }));
  const own = Array.from({ length: 120 }, (_, number) => ({
    id: `def_${1_000 + number}`,
    name: `d${number}`,
    instance_uid: '',
  }));
  const onServer = <Item>(id: string, items: Item[]) => (id === 'full' ? items : []);
  const deps = {
    reader: {} as Queries,
    placements: {
      candidates: async () => servers,
      occupants: async (_: Queries, __: string, id: string) =>
        onServer(
          id,
          own.map((item) => ({ id: item.id, memory: 4 * GIB })),
        ),
    },
    movablesOn: async (_: Queries, __: string, id: string) => onServer(id, own),
    isBlocked: async (_: Queries, __: string, id: string, { to }: { to: string }) => isBlocked(id, to),
  } as unknown as BalancesDeps;
  return new Balances(deps).read(principal);
}

it('many definitions that cannot be moved do not hide the others', async () => {
  const { moves, servers } = await open((id) => id < 'def_1100');
  expect(moves.length).toBeGreaterThan(0);
  expect(moves.every(({ definition_id }) => definition_id >= 'def_1100')).toBe(true);
  const moved = moves.reduce((sum, { memory_bytes }) => sum + memory_bytes, 0);
  const full = servers.find(({ name }) => name === 'full');
  expect((full?.taken_bytes ?? 0) - (full?.taken_bytes_after ?? 0)).toBe(moved);
});

it('proposed moves and the shares after them agree if none is possible', async () => {
  const { moves, servers } = await open(() => true);
  expect(moves).toEqual([]);
  for (const { taken_bytes, taken_bytes_after } of servers) expect(taken_bytes_after).toBe(taken_bytes);
});
