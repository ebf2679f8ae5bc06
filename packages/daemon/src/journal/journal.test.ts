import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { describe, expect, it } from 'vitest';
import { component, manifest } from '../plan/testing/manifests.ts';
import { request } from '../testing/actions.ts';
import { id, Signer } from '../testing/signing.ts';
import { failure, success } from './action.ts';
import { FinishedTransfers } from './finished-transfers.ts';
import { openJournal } from './journal.ts';
import { SCHEMA } from './schema.ts';

const here = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);

describe('the state directory', () => {
  it('belongs to one process and is not accessible to other users', async () => {
    await using folder = temporaryFolder('journal');
    const first = openJournal(folder.path);
    expect(() => openJournal(folder.path)).toThrow(`in use by process ${process.pid}`);
    first.close();
    openJournal(folder.path).close();
    expect(statSync(folder.path).mode & 0o077).toBe(0);
  });

  it('is released when its process is killed, with all written data', async () => {
    await using folder = temporaryFolder('journal');
    await using other = startProcess([
      process.execPath,
      '--input-type=module',
      '--eval',
      `import { openJournal } from ${here('./journal.ts')};
       const journal = openJournal(${JSON.stringify(folder.path)});
       const request = { execution_id: 'exe_1', action: {}, params: {} };
       journal.executions.start(request, { kind: 'once' }, 1);
       console.log('written');
       setInterval(() => journal, 1000);`,
    ]);
    await other.waitForLine('written');
    expect(() => openJournal(folder.path)).toThrow(`in use by process ${other.pid}`);
    await other.kill('SIGKILL');
    const journal = openJournal(folder.path);
    expect(journal.executions.unfinished()).toMatchObject([
      { id: 'exe_1', phase: 'started', runner: { kind: 'once' } },
    ]);
    journal.close();
  });
});

describe('an execution', () => {
  it('is unreported from its end until it is reported', async () => {
    await using folder = temporaryFolder('journal');
    const { executions, close } = openJournal(folder.path);
    const asked = request('echo', ['echo']);
    executions.receive(asked, 1);
    executions.start(asked, { kind: 'once' }, 2);
    expect(executions.find(asked.execution_id)).toMatchObject({ phase: 'started', receivedAt: 1 });
    expect(executions.unreported()).toEqual([]);
    expect(executions.finish(asked.execution_id, success('hello'), 3)).toBe(true);
    expect(executions.unreported()).toMatchObject([{ outcome: { output: 'hello' } }]);
    expect(executions.unfinished()).toEqual([]);
    executions.reported(asked.execution_id);
    expect(executions.unreported()).toEqual([]);
    close();
  });

  it('keeps its first outcome and is never started again', async () => {
    await using folder = temporaryFolder('journal');
    const { executions, close } = openJournal(folder.path);
    const asked = request('echo', ['echo']);
    executions.start(asked, { kind: 'once' }, 1);
    executions.finish(asked.execution_id, success('first'), 2);
    expect(executions.finish(asked.execution_id, failure('second'), 3)).toBe(false);
    executions.start(asked, { kind: 'repeatable' }, 4);
    expect(executions.find(asked.execution_id)).toMatchObject({ phase: 'finished', outcome: { output: 'first' } });
    close();
  });
});

it('a finished deployment no longer stores its manifest, which contains secrets', async () => {
  await using folder = temporaryFolder('journal');
  const { deployments, manifests, tidy, close } = openJournal(folder.path);
  const signed = new Signer().sign(manifest('blog', [component('main', { env: { PASSWORD: 'hunter2' } })]));
  const deployment = { id: id('dep'), definition_id: id('def'), revision: 1 };
  deployments.receive(deployment, 1);
  deployments.start(deployment.id, signed);
  deployments.step(deployment.id, 'pull');
  expect(deployments.unfinished()).toMatchObject([{ step: 'pull', instanceUid: 'blog', manifest: { revision: 1 } }]);
  deployments.finish(deployment.id, { status: 'success', components: [] }, 2);
  expect(deployments.unreported()).toMatchObject([{ manifest: undefined, result: { status: 'success' } }]);
  manifests.keep(signed);
  expect(manifests.of('blog')).toEqual(signed);
  deployments.reported(deployment.id);
  tidy(Date.now());
  expect(deployments.find(deployment.id)).toBeUndefined();
  close();
});

it('the end of a transfer is final and survives a restart, and the oldest of too many are forgotten', async () => {
  await using folder = temporaryFolder('journal');
  const first = openJournal(folder.path);
  first.finishedTransfers.finish('trf_1', { status: 'completed', chunks: 3 });
  first.finishedTransfers.finish('trf_1', { status: 'failed', error: 'later' });
  first.close();
  const second = openJournal(folder.path);
  expect(second.finishedTransfers.find('trf_1')).toEqual({ status: 'completed', chunks: 3 });
  expect(second.finishedTransfers.find('trf_2')).toBeUndefined();
  second.close();
  const db = new DatabaseSync(':memory:');
  db.exec(SCHEMA);
  const few = new FinishedTransfers(db, 3);
  for (const number of [1, 2, 3, 4, 4, 5]) few.finish(`trf_${number}`, { status: 'completed' });
  expect([1, 2, 3, 4, 5].filter((number) => few.find(`trf_${number}`))).toEqual([3, 4, 5]);
});
