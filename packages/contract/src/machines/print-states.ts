import { machines } from './all.ts';
import { statesPage } from './diagram.ts';

process.stdout.write(statesPage(machines));
