import { ApiProblem } from '@hortus/client/problem';
import { openLog } from '@hortus/logging/log';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ActionRequest, success } from '../journal/action.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { request } from '../testing/actions.ts';
import { id } from '../testing/signing.ts';
import { Results } from './results.ts';
import type { Service } from './service.ts';

let folder: ReturnType<typeof temporaryFolder>;
let journal: Journal;
let results: Results;
/** Answers of the service in turn; it accepts what comes after them. */
let responses: Error[];
/** Execution ids of the reports that reached the service. */
let reported: string[];
beforeEach(() => {
  folder = temporaryFolder('results');
  journal = openJournal(folder.path);
  responses = [];
  reported = [];
  const call = async (_: string, { params, body }: { params?: ById; body: ById }) => {
    reported.push(params?.execution_id ?? body.execution_id);
    const response = responses.shift();
    if (response) throw response;
  };
  results = new Results({
    journal,
    service: { call } as unknown as Service,
    channel: { offers: () => false, send: () => false },
    log: openLog({ level: 'error' }),
    backoff: { firstMs: 1, maxMs: 5 },
  });
});
afterEach(async () => {
  vi.useRealTimers();
  results.stop();
  journal.close();
  await folder.remove();
});

interface ById {
  execution_id: string;
}

const refused = (reason: string) =>
  new ApiProblem({ code: 'FORBIDDEN', status: 403, message: reason, details: { reason } });

function finish(order: ActionRequest): string {
  journal.executions.start(order, { kind: 'once' }, 1);
  journal.executions.finish(order.execution_id, success('done'), 2);
  results.finished(order.execution_id);
  return order.execution_id;
}

const isKept = (execution: string) => journal.executions.unreported().some((item) => item.id === execution);

it('a result is given up once another member leads, because its execution has ended', async () => {
  responses = [new Error('unreachable'), refused('not_leader')];
  const execution = finish(request('note', []));
  await until(() => !isKept(execution), { describe: 'the result to be given up' });
  results.settle();
  expect(reported).toEqual([execution, execution]);
});

it('a result is repeated while the same member leads in a later epoch', async () => {
  responses = [refused('outdated_epoch'), refused('outdated_epoch')];
  const execution = finish(request('note', []));
  await until(() => !isKept(execution), { describe: 'the result to be accepted' });
  expect(reported).toEqual([execution, execution, execution]);
});

it('the result of a scheduled run waits without repetition until this member leads again', async () => {
  vi.useFakeTimers();
  responses = [refused('not_leader')];
  const run = finish({ ...request('note', []), scheduled: { definition_id: id('def'), due_at: 1 } });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reported).toEqual([run]);
  expect(isKept(run)).toBe(true);
  results.settle();
  await vi.advanceTimersByTimeAsync(0);
  expect(isKept(run)).toBe(false);
});
