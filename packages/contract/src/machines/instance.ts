import { machine } from './machine.ts';

/** A report states what the engine sees, so most states are reachable from most others; `released` is final. */
const alive = ['pending', 'starting', 'running', 'restarting', 'stopped', 'failed', 'lost'] as const;

export const instanceMachine = machine({
  name: 'instance',
  states: [...alive, 'released'],
  moves: [
    { move: 'create', from: 'none', to: 'pending' },
    { move: 'starting', from: alive, to: 'starting' },
    { move: 'run', from: ['running'], to: 'running' },
    {
      move: 'run',
      from: ['pending', 'starting', 'restarting', 'stopped', 'failed', 'lost'],
      to: 'running',
      event: 'instance.started',
    },
    { move: 'restart', from: alive, to: 'restarting' },
    { move: 'stop', from: ['stopped'], to: 'stopped' },
    {
      move: 'stop',
      from: ['pending', 'starting', 'running', 'restarting', 'failed', 'lost'],
      to: 'stopped',
      event: 'instance.stopped',
    },
    { move: 'fail', from: alive, to: 'failed' },
    { move: 'lose', from: alive, to: 'lost' },
    { move: 'release', from: alive, to: 'released', event: 'instance.stopped' },
  ],
});

export const instanceHealthMachine = machine({
  name: 'instance health',
  states: ['unknown', 'starting', 'healthy', 'unhealthy'],
  moves: [
    { move: 'create', from: 'none', to: 'unknown' },
    { move: 'forget', from: 'any', to: 'unknown' },
    { move: 'start', from: 'any', to: 'starting' },
    { move: 'recover', from: 'any', to: 'healthy' },
    { move: 'sicken', from: ['unhealthy'], to: 'unhealthy' },
    { move: 'sicken', from: ['unknown', 'starting', 'healthy'], to: 'unhealthy', event: 'instance.unhealthy' },
  ],
});
