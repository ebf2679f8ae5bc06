import { allows, type Permission } from '@hortus/contract/permissions';
import type { Session } from '@hortus/contract/resources/sign-in';
import { useSuspenseQuery } from '@tanstack/react-query';
import { apiQuery } from './query.ts';

export const sessionQuery = apiQuery('account.read');

/** Who is signed in. Only below the frame, which loads it first. */
export const useSession = (): Session => useSuspenseQuery(sessionQuery).data.data;

/** Tells what the signed-in person may do. A page shows no button for the rest. */
export function useMay(): (permission: Permission) => boolean {
  const { permissions } = useSession();
  return (permission) => allows(permissions, permission);
}
