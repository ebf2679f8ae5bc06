import { machine } from './machine.ts';

/** From `switched` on the target is authoritative; a failure before that leads back to the source. */
export const migrationMachine = machine({
  name: 'migration',
  states: ['pending', 'copying', 'stopping', 'moving', 'starting', 'switched', 'completed', 'returning', 'failed'],
  moves: [
    { move: 'order', from: 'none', to: 'pending' },
    { move: 'copy', from: ['pending'], to: 'copying' },
    { move: 'stop', from: ['copying'], to: 'stopping' },
    { move: 'move', from: ['stopping'], to: 'moving' },
    { move: 'start', from: ['moving'], to: 'starting' },
    { move: 'switch', from: ['starting'], to: 'switched' },
    { move: 'release', from: ['switched'], to: 'completed' },
    { move: 'turn_back', from: ['pending', 'copying', 'stopping', 'moving', 'starting'], to: 'returning' },
    { move: 'fail', from: ['returning'], to: 'failed' },
  ],
});
