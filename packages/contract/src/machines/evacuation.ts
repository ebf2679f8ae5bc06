import { machine } from './machine.ts';

/** A cancelled evacuation waits for the migrations that it has begun. */
export const evacuationMachine = machine({
  name: 'evacuation',
  states: ['running', 'cancelling', 'completed', 'incomplete', 'cancelled'],
  moves: [
    { move: 'begin', from: 'none', to: 'running' },
    { move: 'complete', from: ['running'], to: 'completed' },
    { move: 'give_up', from: ['running'], to: 'incomplete' },
    { move: 'cancel', from: ['running'], to: 'cancelling' },
    { move: 'stop', from: ['cancelling'], to: 'cancelled' },
  ],
});

/** The move of a definition or of a tenant to another server. */
export const evacuationMoveMachine = machine({
  name: 'evacuation-move',
  states: ['pending', 'moving', 'moved', 'stuck', 'cancelled'],
  moves: [
    { move: 'plan', from: 'none', to: 'pending' },
    { move: 'begin', from: ['pending'], to: 'moving' },
    { move: 'finish', from: ['moving'], to: 'moved' },
    { move: 'fail', from: ['pending', 'moving'], to: 'stuck' },
    { move: 'cancel', from: ['pending'], to: 'cancelled' },
  ],
});
