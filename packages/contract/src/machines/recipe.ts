import { machine } from './machine.ts';

export const recipeMachine = machine({
  name: 'recipe',
  states: ['pending', 'approved', 'rejected', 'withdrawn'],
  moves: [
    { move: 'submit', from: 'none', to: 'pending' },
    { move: 'edit', from: ['pending'], to: 'pending' },
    { move: 'approve', from: ['pending'], to: 'approved', guard: 'valid' },
    { move: 'reject', from: ['pending'], to: 'rejected' },
    { move: 'withdraw', from: ['pending', 'approved'], to: 'withdrawn' },
  ],
});
