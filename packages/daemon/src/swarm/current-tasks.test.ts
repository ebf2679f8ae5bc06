import { describe, expect, it } from 'vitest';
import { statusOf } from '../instances/container-status.ts';
import { currentTasks, factsOfService, factsOfTask } from './current-tasks.ts';
import { service, task } from './testing/swarm-facts.ts';

const ids = (tasks: { id: string }[]) => tasks.map(({ id }) => id);

describe('the current tasks of a service', () => {
  it('are the newest of each slot, without those that were meant to end', () => {
    const tasks = [
      task({ id: 'old', desired: 'shutdown', state: 'shutdown' }),
      task({ id: 'failed', state: 'failed', createdAt: 2 }),
      task({ id: 'new', createdAt: 3 }),
      task({ id: 'second', slot: 2, createdAt: 1 }),
      task({ id: 'foreign', service: 'other' }),
    ];
    expect(ids(currentTasks(service({ replicas: 2 }), tasks))).toEqual(['new', 'second']);
  });

  it('include one that ended by itself and is not restarted, but none that was stopped after it', () => {
    const dead = task({ id: 'dead', state: 'failed', desired: 'shutdown' });
    expect(ids(currentTasks(service(), [dead]))).toEqual(['dead']);
    const stopped = task({ id: 'stopped', state: 'shutdown', desired: 'shutdown', createdAt: 2 });
    expect(currentTasks(service(), [dead, stopped])).toEqual([]);
    expect(currentTasks(service({ replicas: 0 }), [dead])).toEqual([]);
  });

  it('are the serving ones while an update starts others beside them', () => {
    const tasks = [task({ id: 'serving' }), task({ id: 'starting', state: 'starting', createdAt: 2 })];
    expect(ids(currentTasks(service(), tasks))).toEqual(['serving']);
  });

  it('of a job include the one that has ended', () => {
    const tasks = [task({ id: 'done', state: 'complete', desired: 'shutdown' })];
    expect(ids(currentTasks(service({ kind: 'job' }), tasks))).toEqual(['done']);
  });
});

describe('the status of a task', () => {
  const statusFor = (overrides: Parameters<typeof task>[0]) =>
    statusOf(factsOfTask(service(), task(overrides), undefined));

  it('is that of a container in the same state', () => {
    expect(statusFor({ state: 'running' })).toBe('running');
    expect(statusFor({ state: 'preparing' })).toBe('starting');
    expect(statusFor({ state: 'failed', error: 'task: non-zero exit (3)', exitCode: 3 })).toBe('failed');
    expect(statusFor({ state: 'rejected', error: 'No such image' })).toBe('failed');
  });

  it('is failed while no node fits, and starting before that is known', () => {
    expect(statusFor({ state: 'pending' })).toBe('starting');
    expect(statusFor({ state: 'pending', error: 'no suitable node' })).toBe('failed');
  });

  it('of a service that was stopped is stopped', () => {
    expect(statusOf(factsOfService(service({ replicas: 0 })))).toBe('stopped');
    expect(statusOf(factsOfService(service()))).toBe('starting');
  });
});
