import { machine } from './machine.ts';

export const executionMachine = machine({
  name: 'execution',
  states: ['pending', 'sent', 'running', 'completed', 'failed', 'timeout', 'cancelled'],
  moves: [
    { move: 'create', from: 'none', to: 'pending' },
    { move: 'send', from: ['pending'], to: 'sent' },
    { move: 'start', from: ['sent'], to: 'running' },
    { move: 'complete', from: ['sent', 'running'], to: 'completed', event: 'action.completed' },
    { move: 'fail', from: ['pending', 'sent', 'running'], to: 'failed', event: 'action.failed' },
    { move: 'expire', from: ['pending', 'sent', 'running'], to: 'timeout', event: 'action.failed' },
    { move: 'cancel', from: ['pending', 'sent', 'running'], to: 'cancelled' },
  ],
});
