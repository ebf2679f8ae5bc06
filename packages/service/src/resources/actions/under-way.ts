import { builtIn } from '@hortus/contract/actions/built-in-actions';
import type { Queries } from '../../storage/storage.ts';
import { findLiving } from '../instances/public.ts';
import { unfinishedOfInstance } from './store.ts';

/** Finds the unfinished execution that removes the containers of a definition. */
export async function releaseUnderWay(queries: Queries, definitionId: string): Promise<string | undefined> {
  const instance = await findLiving(queries, definitionId);
  if (!instance) return undefined;
  return (await unfinishedOfInstance(queries, instance.id)).findLast(({ slug }) => slug === builtIn.release)?.id;
}
