import { machine } from './machine.ts';

/** `deprecated` is a flag beside the status; upcoming templates are those in `draft` and `validated`. */
export const templateMachine = machine({
  name: 'template',
  states: ['draft', 'validated', 'published'],
  moves: [
    { move: 'create', from: 'none', to: 'draft' },
    { move: 'ship', from: 'none', to: 'published' },
    { move: 'edit', from: ['draft', 'validated'], to: 'draft' },
    { move: 'validate', from: ['draft', 'validated'], to: 'validated', guard: 'clean' },
    { move: 'promote', from: ['validated'], to: 'published', guard: 'promotable' },
  ],
});
