import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readVolume } from '@hortus/daemon/volumes/volumes';
import { busyboxImage } from '@hortus/testkit/images';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { inside } from '../e2e/docker/installation.ts';
import { openTwoServers, type TwoServers } from '../e2e/migration/two-servers.ts';
import { bareTar, tarThroughNode } from './bare-tar.ts';
import { busySeconds } from './busy.ts';
import { type Bench, median } from './claim.ts';
import { pause, timed } from './service-with-engine.ts';

const FILES = 64;
const FILE_MEGABYTES = 32;
const BYTES = FILES * FILE_MEGABYTES * 1024 * 1024;
const IMAGE = 'hortus.bench/heavy';

const heavy = `
slug: heavy
name: Heavy
description: Stores a large volume.
version: 1.0.0
app_version: "1"
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${IMAGE}, tag: "1"}
command: [sleep, "1000000"]
stop_signal: SIGKILL
storage: [{name: data, mount_path: /data, critical: true}]
`;

interface Measured {
  readonly ours: number;
  readonly unpacked: number;
  readonly bare: number;
  /** The same archive through three Node processes that only pipe. */
  readonly hops: number;
  /** The engine's archive of the volume, read and discarded. */
  readonly archive: number;
  /** CPU seconds of each side, over all its processes. */
  readonly oursBusy: number;
  readonly bareBusy: number;
  readonly hopsBusy: number;
  readonly grown: number;
}

/**
 * Measures a 2 GB volume copied between two engines through the service. The promise is relative to the same hops without
 * our code, because three Node processes that only pipe reach just 0.3 to 0.4 of tar to tar over a bare socket on two
 * cores (docs/decisions/migrations.md has the figures).
 */
export const transferBench: Bench = {
  name: 'transfer',
  async run(repetitions) {
    const figures: Measured[] = [];
    for (let i = 0; i < repetitions; i++) figures.push(await once2GB());
    const speed = (ms: number) => BYTES / 1e6 / (ms / 1_000);
    const perGigabyte = (seconds: number) => seconds / (BYTES / 1e9);
    return [
      {
        claim: 'a volume of 2 GB through the service, first copy',
        value: speed(median(figures.map(({ ours }) => ours))),
        unit: 'MB/s',
        against: { name: 'MB/s tar | tar over a socket', value: speed(median(figures.map(({ bare }) => bare))) },
        ratio: median(figures.map(({ ours, bare }) => bare / ours)),
      },
      {
        claim: 'the same, against its hops without our code',
        value: speed(median(figures.map(({ ours }) => ours))),
        unit: 'MB/s',
        against: {
          name: 'MB/s tar through three Node pipes into a file',
          value: speed(median(figures.map(({ hops }) => hops))),
        },
        ratio: median(figures.map(({ ours, hops }) => hops / ours)),
        promise: { atLeast: 0.7 },
      },
      {
        claim: 'limit: the same as an archive of the engine, discarded',
        value: speed(median(figures.map(({ archive }) => archive))),
        unit: 'MB/s',
      },
      {
        claim: 'seconds of the processor that a gigabyte takes: service, both daemons and their tar',
        value: perGigabyte(median(figures.map(({ oursBusy }) => oursBusy))),
        unit: 's',
        against: { name: 's of tar | tar', value: perGigabyte(median(figures.map(({ bareBusy }) => bareBusy))) },
      },
      {
        claim: 'seconds of the processor that a gigabyte takes through three Node pipes',
        value: perGigabyte(median(figures.map(({ hopsBusy }) => hopsBusy))),
        unit: 's',
      },
      {
        claim: 'the same, last copy of what has not changed, unpacked',
        value: speed(median(figures.map(({ unpacked }) => unpacked))),
        unit: 'MB/s',
      },
      {
        claim: 'memory that the service grows by meanwhile',
        value: median(figures.map(({ grown }) => grown / 1e6)),
        unit: 'MB',
        against: { name: 'MB', value: 64 },
        ratio: median(figures.map(({ grown }) => grown / 64e6)),
        promise: { atMost: 1 },
      },
    ];
  },
};

async function once2GB(): Promise<Measured> {
  await using folder = temporaryFolder('bench');
  const catalog = join(folder.path, 'catalog');
  mkdirSync(join(catalog, 'website', 'heavy'), { recursive: true });
  writeFileSync(join(catalog, 'website', 'heavy', 'template.yaml'), heavy);
  const images = async (socketPath: string) => {
    await busyboxImage(socketPath, `${IMAGE}:1`);
    return {};
  };
  await using all = await openTwoServers({ catalog, images });
  const definitionId = await fill(all);
  const archive = await timed(() => readArchive(all));
  const { source, beside } = await folders(all);
  const { took: bare, busy: bareBusy } = await bareTar(source, join(beside, 'bare'));
  const { took: hops, busy: hopsBusy } = await tarThroughNode(source, folder.path);
  // Flushes the disk, so that no side pays for earlier writes.
  execFileSync('sync');
  const processes = [all.service.process.pid, ...all.servers.map(({ daemon }) => daemon.pid)];
  const busyBefore = busySeconds(processes);
  let oursBusy = 0;
  const before = residentBytes(all.service.process.pid);
  let max = before;
  const watch = setInterval(() => {
    max = Math.max(max, residentBytes(all.service.process.pid));
  }, 50);
  const { data } = await all.service.client.call('definitions.migrate', {
    params: { id: definitionId },
    body: { server_id: all.servers[1].serverId },
  });
  const params = { id: data.migration?.id ?? '' };
  for (;;) {
    const { data: now } = await all.service.client.call('migrations.read', { params });
    if (now.status === 'failed') throw new Error(`The migration failed: ${now.error}`);
    if (oursBusy === 0 && now.transfers.some(({ mode, status }) => mode === 'stage' && status === 'completed'))
      oursBusy = busySeconds(processes) - busyBefore;
    if (now.status === 'switched' || now.status === 'completed') {
      clearInterval(watch);
      const took = (mode: 'stage' | 'import') => {
        const of = now.transfers.find((transfer) => transfer.mode === mode);
        if (!of || of.bytes < BYTES) throw new Error('The volume was not copied.');
        return Date.parse(of.finished_at ?? '') - Date.parse(of.created_at);
      };
      return {
        ...{ ours: took('stage'), unpacked: took('import'), bare, hops, archive },
        ...{ oursBusy, bareBusy, hopsBusy, grown: max - before },
      };
    }
    await pause(100);
  }
}

async function fill(all: TwoServers): Promise<string> {
  const { client } = all.service;
  const [here] = all.servers;
  const body = { species: 'heavy', instance_uid: 'heavy', server_id: here.serverId, inputs: {}, watch_seconds: 0 };
  const { data } = await client.call('definitions.create', { body });
  const order = await client.call('deployments.execute', { body: { definition_id: data.id } });
  const params = { id: order.data.id };
  while ((await client.call('deployments.read', { params })).data.status !== 'success') await pause(50);
  const script = `for i in $(seq ${FILES}); do dd if=/dev/urandom of=/data/$i bs=1M count=${FILE_MEGABYTES} 2>/dev/null; done`;
  await inside(here.engine, 'heavy', 'sh', '-c', script);
  return data.id;
}

async function readArchive({ servers: [{ engine, serverId }] }: TwoServers): Promise<void> {
  const [volume] = await engine.volumes({ labels: { 'hortus.managed': 'true' } });
  await readVolume({ engine, serverId, volume: volume?.name ?? '', throughEngine: true }, async (content) => {
    for await (const _ of content);
  });
}

/** The folder of the volume, and the folder of the volumes of the other engine. */
async function folders({ servers }: TwoServers): Promise<{ source: string; beside: string }> {
  const [from = '', to = ''] = servers.map(({ socketPath }) => join(socketPath, '..', 'data', 'volumes'));
  const [volume] = await servers[0].engine.volumes({ labels: { 'hortus.managed': 'true' } });
  return { source: join(from, volume?.name ?? '', '_data'), beside: to };
}

function residentBytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
