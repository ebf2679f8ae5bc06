import { machine } from './machine.ts';

export const deploymentMachine = machine({
  name: 'deployment',
  states: ['pending', 'running', 'success', 'failed'],
  moves: [
    { move: 'create', from: 'none', to: 'pending' },
    { move: 'claim', from: ['pending'], to: 'running', event: 'deployment.started' },
    { move: 'succeed', from: ['running'], to: 'success', event: 'deployment.success' },
    { move: 'fail', from: ['running'], to: 'failed', event: 'deployment.failed' },
    // Its preparation (a backup or restore) failed.
    { move: 'give_up', from: ['pending'], to: 'failed', event: 'deployment.failed' },
    { move: 'cancel', from: ['pending', 'running'], to: 'failed', event: 'deployment.failed' },
    { move: 'expire', from: ['running'], to: 'failed', guard: 'server online', event: 'deployment.failed' },
  ],
});
