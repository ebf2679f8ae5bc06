import { readFile } from 'node:fs/promises';
import type { MetricsMessage } from '@hortus/contract/channel/streams';
import { trafficOf } from './reading.ts';
import { since } from './usage-meter.ts';

/** Interfaces between the server and its containers or virtual machines: their traffic never leaves the server. */
const INSIDE = /^(lo$|veth|docker|br-|virbr|cni|podman|tap|vnet)/;

export const isOutside = (name: string): boolean => !INSIDE.test(name);

/** Measures the traffic of this server with the outside; rates cover the time since the last call. */
export class HostTraffic {
  #before: { at: number; receivedBytes: number; sentBytes: number } | undefined;

  async read(): Promise<MetricsMessage['server']['network']> {
    const now = { at: performance.now(), ...trafficOf(await readFile('/proc/net/dev', 'latin1'), isOutside) };
    const before = this.#before ?? now;
    this.#before = now;
    const seconds = Math.max(0.001, (now.at - before.at) / 1_000);
    const rate = (name: 'receivedBytes' | 'sentBytes') => Math.round(since(before[name], now[name]) / seconds);
    return { received_bytes_per_second: rate('receivedBytes'), sent_bytes_per_second: rate('sentBytes') };
  }
}
