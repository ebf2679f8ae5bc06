import type { ManifestHealthcheck } from '@hortus/contract/template/manifest';
import { expect, test } from 'vitest';
import type { Engine, ExecHandle, ExecOutput } from '../engine/engine.ts';
import { probe } from './probe.ts';

const PIECE = Buffer.alloc(64 * 1024, 120);

test('a check that prints without end is read a little and fails at its timeout', async () => {
  let read = 0;
  async function* endless(): AsyncGenerator<ExecOutput> {
    for (;;) {
      read++;
      yield { stream: 'stdout', chunk: PIECE };
    }
  }
  const exec = async (): Promise<ExecHandle> => ({
    id: 'e',
    output: endless(),
    inspect: async () => ({ running: true, exitCode: undefined, pid: undefined }),
    detach: () => undefined,
  });
  const engine: Pick<Engine, 'exec'> = { exec };
  const check: ManifestHealthcheck = {
    test: ['check'],
    interval_ms: 1,
    timeout_ms: 100,
    start_period_ms: 0,
    retries: 1,
  };
  const result = await probe(engine, { id: 'c', networks: [], hostNetwork: false }, check);
  expect(result).toEqual({ ok: false, detail: 'no response within 100 ms' });
  expect(read).toBeLessThan(10);
});
