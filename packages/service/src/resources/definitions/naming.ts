import { conflict } from '../../problem.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { findByContainerName, findUnarchived } from './store.ts';

/** Requested names, and whether inserting them met a conflict. */
export interface Naming {
  readonly instanceUid: string;
  /** Whether the uid was derived from the name, so that another one may be chosen. */
  readonly uidIsDerived?: boolean;
  /** Fixed name on the server, if volumes were created for it before the definition. */
  readonly containerName?: string | undefined;
  /** Set when an insert hit a conflict; the retried transaction looks the names up first. */
  contested?: boolean;
}

export interface Names {
  /** Name shown to users. */
  readonly instanceUid: string;
  /** Name of its containers, networks and volumes on the server. */
  readonly containerName: string;
}

/**
 * Chooses the names of a new definition. Both default to the uid without a query, because a conflict is rare and the
 * unique keys detect it. After a conflict the uid is looked up; if only an archived definition had it, the new one
 * takes the uid and gets another name on the server.
 */
export async function chooseNames(tx: Tx, accountId: string, id: string, naming: Naming): Promise<Names> {
  const { instanceUid: wanted, containerName: fixed, uidIsDerived = false } = naming;
  if (!naming.contested) return { instanceUid: wanted, containerName: fixed ?? wanted };
  const holder = await findUnarchived(tx, accountId, wanted);
  if (holder && !uidIsDerived) throw taken(wanted);
  const instanceUid = holder ? distinct(wanted, id) : wanted;
  const used = await findByContainerName(tx, accountId, fixed ?? instanceUid);
  if (used && fixed !== undefined) throw taken(wanted);
  return { instanceUid, containerName: used ? distinct(instanceUid, id) : (fixed ?? instanceUid) };
}

/** Refuses a requested uid that another definition has; a derived one is changed on creation instead. */
export async function requireFreeUid(queries: Queries, accountId: string, naming: Naming): Promise<void> {
  if (naming.uidIsDerived) return;
  if (await findUnarchived(queries, accountId, naming.instanceUid)) throw taken(naming.instanceUid);
}

const taken = (uid: string) =>
  conflict('instance_uid', 'taken', `${uid} is the uid of another definition of this account; choose another one.`);

/** Longest label of a host name (RFC 1035). */
const MAX_LENGTH = 63;
/** Random characters at the end of an id, enough to rule out a second conflict by chance. */
const TAIL = 8;

const distinct = (name: string, id: string): string => `${name.slice(0, MAX_LENGTH - TAIL - 1)}-${id.slice(-TAIL)}`;
