import { serveLogs } from '../container-logs/serve-logs.ts';
import { DiagnosticsReporter } from '../diagnostics/reporter.ts';
import { Fingerprints } from '../fingerprint/fingerprint.ts';
import { CapacityMeter } from '../metrics/capacity.ts';
import { HostTraffic } from '../metrics/host-traffic.ts';
import { LiveMetrics } from '../metrics/live-metrics.ts';
import { MetricsReporter } from '../metrics/reporter.ts';
import { UsageMeter } from '../metrics/usage-meter.ts';
import { serveShell } from '../shell/serve-shell.ts';
import { DialBack } from '../streams/dial-back.ts';
import { NodeReports } from '../swarm/node-reports.ts';
import type { Base } from './base.ts';
import type { Swarm } from './cluster.ts';
import type { Engines } from './engine.ts';
import type { Leader } from './leader.ts';
import type { Link } from './link.ts';
import type { Routing } from './routing.ts';

export type Reports = ReturnType<typeof wireReports>;

/** What the service learns about the server: regular reports, and the streams that it asks for. */
export function wireReports(parts: Base & Leader & Swarm & Engines & Routing & Link) {
  const { identity, policy, serverId, log, leadership, leads, cluster, engine, service, channel } = parts;
  const { stateDirectory } = parts.config;
  /** Undefined until the service said which server this is; there is nothing to report to before. */
  const knownServerId = () => identity.serverId;
  const meters = () => ({
    capacity: new CapacityMeter(stateDirectory),
    usage: new UsageMeter({ engine, serverId, log }),
  });
  const fingerprints = new Fingerprints({ engine, ingress: parts.ingress });
  const metrics = new MetricsReporter({
    service,
    log,
    ...meters(),
    fingerprint: () => fingerprints.recent(),
    networks: () => parts.networkPool.usage(),
    serverId: knownServerId,
    leads,
  });
  const nodeReports = new NodeReports({
    cluster,
    service,
    serverId: knownServerId,
    leads: () => leadership.leads(),
    log,
  });
  const diagnostics = new DiagnosticsReporter({
    service,
    log,
    stateDirectory,
    policy,
    serverId: knownServerId,
    up: () => channel.up,
  });
  const liveMetrics = new LiveMetrics({ meters: () => ({ ...meters(), traffic: new HostTraffic() }), log });
  const dialBack = new DialBack({
    service,
    identity,
    kinds: {
      logs: serveLogs(parts.containerLogs.store, log),
      metrics: liveMetrics.serve,
      shell: serveShell({ engine, policy, log }),
    },
    log,
  });
  return { fingerprints, metrics, nodeReports, diagnostics, dialBack };
}
