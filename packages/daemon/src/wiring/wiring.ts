import { Turns } from '../concurrency/turns.ts';
import { openBase } from './base.ts';
import { wireCluster } from './cluster.ts';
import type { DaemonOptions } from './daemon-options.ts';
import { wireData } from './data.ts';
import { wireEngine } from './engine.ts';
import { Late, type LateCalls } from './late.ts';
import { lateCalls } from './late-calls.ts';
import { wireLeader } from './leader.ts';
import { wireLink } from './link.ts';
import { openNodeEngine } from './node-engine.ts';
import { wireReports } from './reports.ts';
import { wireRouting } from './routing.ts';
import { wireUpkeep } from './upkeep.ts';
import { wireWork } from './work.ts';

export type Parts = ReturnType<typeof wire>;

/**
 * Creates the parts of the daemon and connects them; nothing runs before the parts are started. Each group receives what the
 * groups above it returned. The few calls in the other direction are in `late.ts`.
 */
export function wire(options: DaemonOptions) {
  const late = new Late<LateCalls>();
  const turns = new Turns();

  const base = openBase(options);
  const leader = wireLeader(base, late);

  const node = openNodeEngine(base, options);
  const swarm = wireCluster({ ...base, ...leader, ...node });
  const engines = wireEngine({ ...base, ...leader, ...node, ...swarm }, late);

  const local = { ...base, ...leader, ...swarm, ...engines, turns };
  const routing = wireRouting(local, options.ingress);
  const link = wireLink({ ...local, ...routing }, options.update, late);

  const connected = { ...local, ...routing, ...link };
  const reports = wireReports(connected);
  const upkeep = wireUpkeep(connected);
  const data = wireData(connected);
  const work = wireWork({ ...connected, ...reports, ...upkeep, ...data }, options);

  const parts = { ...connected, ...reports, ...upkeep, ...data, ...work };
  late.bind(lateCalls(parts));
  return parts;
}
