import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import type { ManifestHealthcheck } from '@hortus/contract/template/manifest';
import { paced, type Rate } from '../concurrency/token-bucket.ts';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import { addressOf } from './address.ts';

export type ProbeResult = { ok: true } | { ok: false; detail: string };

/** Probes a container once. Never throws: every error is a failed probe. */
export async function probe(
  engine: Pick<Engine, 'exec'>,
  container: Pick<ContainerFacts, 'id' | 'networks' | 'hostNetwork' | 'node'>,
  check: ManifestHealthcheck,
): Promise<ProbeResult> {
  const timeout = AbortSignal.timeout(check.timeout_ms);
  try {
    if (check.test) return await probeCommand(engine, container.id, check.test, timeout);
    const address = addressOf(container);
    if (address === undefined) return { ok: false, detail: 'the container has no address on its network' };
    if (check.http) return await probeHttp(address, check.http, timeout);
    if (check.tcp) return await probeTcp(address, check.tcp.port, timeout);
    return { ok: true };
  } catch (error) {
    if (timeout.aborted) return { ok: false, detail: `no response within ${check.timeout_ms} ms` };
    return { ok: false, detail: (error as Error).message };
  }
}

type HttpCheck = NonNullable<ManifestHealthcheck['http']>;

function probeHttp(host: string, check: HttpCheck, signal: AbortSignal): Promise<ProbeResult> {
  const { port, path, headers, scheme, expect } = check;
  return new Promise((resolve, reject) => {
    const options = { host, port, path, headers, signal, agent: false as const };
    // Certificates are not verified: they name the external host, and the probe only asks whether the application
    // responds.
    const outgoing =
      scheme === 'https' ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options);
    outgoing.on('error', reject);
    let interim = 0;
    const onInterim = () => {
      if (++interim > MAX_INTERIM) outgoing.destroy(new Error(`${path} on port ${port} returned no status`));
    };
    outgoing.on('information', guardedBy(reject, onInterim));
    const onResponse = (response: IncomingMessage) => {
      const status = response.statusCode ?? 0;
      response.destroy();
      const ok = expect === undefined ? status >= 200 && status < 400 : status === expect;
      resolve(ok ? { ok } : { ok, detail: `${path} on port ${port} returned status ${status}` });
    };
    outgoing.on('response', guardedBy(reject, onResponse));
    outgoing.end();
  });
}

function probeTcp(host: string, port: number, signal: AbortSignal): Promise<ProbeResult> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.on('error', reject);
    const connected = () => {
      socket.destroy();
      resolve({ ok: true });
    };
    socket.on('connect', guardedBy(reject, connected));
  });
}

const keptOutput = 500;
/** For the output of a check: a healthy one prints a few lines, and one that prints without end reaches its timeout. */
const READING: Rate = { perSecond: 64 * 1024, burst: 256 * 1024 };
/** Interim responses before the status. */
const MAX_INTERIM = 10;

async function probeCommand(
  engine: Pick<Engine, 'exec'>,
  id: string,
  argv: readonly string[],
  signal: AbortSignal,
): Promise<ProbeResult> {
  const command = await engine.exec(id, { argv }, signal);
  let said = '';
  for await (const { chunk } of paced(command.output, READING, signal))
    if (said.length < keptOutput) said += chunk.toString('utf8', 0, keptOutput);
  const { exitCode } = await command.inspect();
  // The output also ends at the timeout.
  if (exitCode === undefined) signal.throwIfAborted();
  if (exitCode === 0) return { ok: true };
  const words = said.trim().slice(0, keptOutput);
  return { ok: false, detail: `${argv[0]} exited with ${exitCode ?? 'no exit code'}${words && `: ${words}`}` };
}
