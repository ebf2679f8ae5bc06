// Relays connections between two networks: runs in that of a node, and meets the other one at a Unix socket.
import { type RelayEnd, relay } from './relay.ts';

const [from, to] = process.argv.slice(2).map((end) => JSON.parse(end) as RelayEnd);
if (!from || !to) throw new Error('Expects two ends');
await relay(from, to);
console.log('open');
