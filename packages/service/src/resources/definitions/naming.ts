import { conflict } from '../../problem.ts';
import type { Tx } from '../../storage/storage.ts';
import { findByContainerName, findUnarchived } from './store.ts';

/** What a request says about names, and what an attempt to use them found out. */
export interface Naming {
  readonly instanceUid: string;
  /** Whether the uid was made from the name, so that another one serves as well. */
  readonly uidIsDerived?: boolean;
  /** The name on the server, where volumes were made for it before the definition exists. */
  readonly containerName?: string | undefined;
  /** Set when an insert met another definition; the next run of the transaction looks before it inserts. */
  contested?: boolean;
}

export interface Names {
  /** What people call it. */
  readonly instanceUid: string;
  /** What its containers, networks and volumes are called on the server. */
  readonly containerName: string;
}

/**
 * Chooses the names of a new definition. Both are the uid, and the unique keys decide whether they are free: almost always
 * they are, so nothing is asked beforehand. Only after a conflict the uid is looked up. If an archived definition had it, the
 * new one gets it and another name on the server.
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

export const taken = (uid: string) =>
  conflict('instance_uid', 'taken', `${uid} is the uid of another definition of this account; choose another one.`);

/** As long as a label of a host name may be. */
const LONGEST = 63;
/** Random characters at the end of an id: enough that a second conflict never happens by chance. */
const TAIL = 8;

const distinct = (name: string, id: string): string => `${name.slice(0, LONGEST - TAIL - 1)}-${id.slice(-TAIL)}`;
