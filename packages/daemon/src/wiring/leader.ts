import { Leadership } from '../link/leadership.ts';
import { Takeover } from '../swarm/takeover.ts';
import { Tenure } from '../swarm/tenure.ts';
import type { Base } from './base.ts';
import type { Late, LateCalls } from './late.ts';

export type Leader = ReturnType<typeof wireLeader>;

/**
 * Decides whether this daemon may act: that of a plain server always, a member of a cluster while it leads. The engine and all
 * work depend on it, so it is the first part.
 */
export function wireLeader({ config, journal, log }: Base, late: Late<LateCalls>) {
  const isMember = config.cluster;
  const tenure = new Tenure();
  const leadership = new Leadership({
    isMember,
    send: (message) => late.get().send(message),
    onLead: (term) => late.get().beginTerm(term),
    onLost: () => late.get().endTerm(),
    log,
  });
  const takeover = new Takeover({
    journal,
    leads: () => leadership.leads(),
    mayLead: () => leadership.mayLead(),
    tenure,
    catchUp: () => late.get().catchUp(),
    onReady: () => late.get().actInTerm(),
    log,
  });
  const mayChange = () => takeover.leads() && tenure.holds();
  return {
    leadership,
    takeover,
    /** Whether this daemon may begin something. */
    leads: () => !isMember || takeover.leads(),
    /** Whether the calling work of a member may change something: it leads, and no other member led since the work began. */
    mayChange,
    /** The same for work of any daemon. */
    mayAct: () => !isMember || mayChange(),
    /** As `mayChange`, from the start of the lease: a new leader closes the tunnels of the last one before it is ready to act. */
    mayPrepare: () => leadership.leads() && tenure.holds(),
    /** Runs work as part of the current leadership, so that it ends with it. */
    inTenure: <Result>(work: () => Result): Result => (isMember ? tenure.run(work) : work()),
    /** Runs work once this daemon is ready to act; false if it does not lead. */
    whenLeading: (work: () => void): boolean => {
      if (isMember) return takeover.when(work);
      work();
      return true;
    },
  };
}
