import { machine } from './machine.ts';

export const definitionMachine = machine({
  name: 'definition',
  states: ['pending', 'active', 'archived'],
  moves: [
    { move: 'create', from: 'none', to: 'pending', event: 'definition.created' },
    { move: 'revise', from: 'any', to: 'same', event: 'definition.updated' },
    { move: 'succeed', from: ['pending', 'active'], to: 'active' },
    { move: 'archive', from: ['pending', 'active'], to: 'archived', event: 'definition.updated' },
    { move: 'activate', from: ['archived'], to: 'active', guard: 'succeeded before', event: 'definition.updated' },
    { move: 'activate', from: ['archived'], to: 'pending', event: 'definition.updated' },
  ],
});
