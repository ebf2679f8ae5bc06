import type { MetricsMessage } from '@hortus/contract/channel/streams';
import type { ReportedUsage } from '@hortus/contract/resources/metrics';
import type { WebSocket } from 'ws';
import { logDaemonOf } from './log-daemon.ts';
import type { Caller } from './running-service.ts';

export const used = (instance_uid: string, over: Partial<ReportedUsage> = {}): ReportedUsage => ({
  instance_uid,
  component: 'app',
  cpu_percent: 50,
  memory_bytes: 1_000,
  received_bytes_per_second: 10,
  sent_bytes_per_second: 20,
  read_bytes_per_second: 30,
  written_bytes_per_second: 40,
  ...over,
});

export const load = {
  memory: { used: 1_000, free: 3_000 },
  cpu: { cores: 4, used_percent: 25 },
  disk: { used: 5_000, free: 15_000 },
};

export const message = (...usage: ReportedUsage[]): MetricsMessage => ({
  server: { ...load, network: { received_bytes_per_second: 100, sent_bytes_per_second: 200 } },
  usage,
});

/** Registers a server and connects a daemon that serves streams of metrics over real sockets. */
export async function metricsDaemonOf(caller: Caller, capabilities: readonly string[] = ['ack', 'streams', 'metrics']) {
  const { serverId, key, daemon } = await logDaemonOf(caller, capabilities);
  daemon.responds = false;
  const watching = new Set<WebSocket>();
  daemon.channel.socket.on('message', (data) => {
    const order = JSON.parse(String(data));
    if (order.type !== 'stream_open' || order.kind !== 'metrics') return;
    const socket = daemon.dial(order.ticket);
    socket.on('open', () => watching.add(socket));
    socket.on('close', () => watching.delete(socket));
  });
  return {
    serverId,
    key,
    daemon,
    watching,
    send(reading: unknown) {
      for (const socket of watching) socket.send(JSON.stringify(reading));
    },
  };
}
