import { machine } from './machine.ts';

/** A pending alert has not lasted as long as its rule demands; if its cause ends before that, its row is deleted. */
export const alertMachine = machine({
  name: 'alert',
  states: ['pending', 'open', 'resolved'],
  moves: [
    { move: 'watch', from: 'none', to: 'pending' },
    { move: 'open', from: 'none', to: 'open' },
    { move: 'open', from: ['pending'], to: 'open' },
    { move: 'resolve', from: ['open'], to: 'resolved' },
  ],
});
