import { setTimeout as pause } from 'node:timers/promises';
import { type HostileRequest, hostileRequests, sendHostile } from './hostile-requests.ts';

/**
 * Attackers as a process of their own: 44 requests are always under way, each attack in turn, for the given time. Prints a
 * line when the attack begins and one with the number of answers when it ends.
 */
const [base = '', key = '', forMs = '0'] = process.argv.slice(2);
const AT_ONCE = 44;

let next = 0;
let responses = 0;
const attack = async () => {
  for (;;) {
    const hostile = hostileRequests[next++ % hostileRequests.length] as HostileRequest;
    await sendHostile({ base, key }, hostile).catch(() => undefined);
    responses++;
  }
};
console.log('attacking');
for (let i = 0; i < AT_ONCE; i++) void attack();
await pause(Number(forMs));
console.log(`${responses} answers`);
// Without waiting for answers that wait for a worker.
process.exit();
