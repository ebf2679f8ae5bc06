import { machine } from './machine.ts';

export const upgradeMachine = machine({
  name: 'upgrade',
  states: ['available', 'acknowledged', 'applying', 'applied', 'failed'],
  moves: [
    { move: 'find', from: 'none', to: 'available' },
    { move: 'acknowledge', from: ['available', 'acknowledged'], to: 'acknowledged' },
    { move: 'apply', from: ['available', 'acknowledged', 'failed'], to: 'applying' },
    { move: 'finish', from: ['applying'], to: 'applied' },
    { move: 'fail', from: ['applying'], to: 'failed' },
  ],
});
