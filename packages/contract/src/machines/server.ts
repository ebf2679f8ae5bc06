import { machine } from './machine.ts';

export const serverMachine = machine({
  name: 'server',
  states: ['pending', 'online', 'offline', 'draining', 'disabled'],
  moves: [
    { move: 'register', from: 'none', to: 'pending' },
    { move: 'connect', from: ['pending', 'offline', 'online'], to: 'online' },
    { move: 'connect', from: ['draining'], to: 'draining' },
    { move: 'disconnect', from: ['online', 'offline'], to: 'offline' },
    { move: 'drain', from: ['pending', 'online', 'offline'], to: 'draining' },
    { move: 'undrain', from: ['draining'], to: 'offline' },
    { move: 'disable', from: ['pending', 'online', 'offline', 'draining'], to: 'disabled' },
    { move: 'enable', from: ['disabled'], to: 'offline' },
  ],
});
