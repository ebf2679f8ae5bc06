import { expect, test } from 'vitest';
import type { TaskFacts } from '../engine/cluster.ts';
import { label } from '../plan/labels.ts';
import { FailedTasks } from './failed-tasks.ts';
import { task } from './testing/swarm-facts.ts';

const failed = (id: string, error = 'task: non-zero exit (1)'): TaskFacts =>
  task({ id, state: 'failed', error, labels: { [label.component]: 'main' } });

test('failures since the deployment count, former ones do not', async () => {
  let tasks = [failed('former', 'task: unhealthy container')];
  const failures = new FailedTasks({ tasks: async () => tasks });
  const poll = () => failures.sickness('blog', 'dep_1');
  expect(await poll()).toBeUndefined();
  expect(await poll()).toBeUndefined();
  tasks = [...tasks, failed('first'), failed('second'), task({ id: 'running' })];
  expect(await poll()).toBeUndefined();
  expect(await failures.sickness('blog', 'dep_2')).toBeUndefined();
  tasks = [...tasks, failed('third')];
  expect(await poll()).toBe('main does not keep running');
  expect(await failures.sickness('blog', 'dep_2')).toBeUndefined();
});

test('one task that the Swarm ended as unhealthy is enough', async () => {
  let tasks: TaskFacts[] = [];
  const failures = new FailedTasks({ tasks: async () => tasks });
  expect(await failures.sickness('blog', 'dep_1')).toBeUndefined();
  tasks = [failed('one', 'task: non-zero exit (137): dockerexec: unhealthy container')];
  expect(await failures.sickness('blog', 'dep_1')).toBe('main became unhealthy');
});
