// npm run --silent docs:man [-- hortusd]: the manual page hortus(1) or hortusd(8).

import { manualPage } from '@hortus/cli/command-line/manual';
import { table } from '@hortus/cli/commands/table';
import { daemonManual } from '../daemon-manual.ts';

process.stdout.write(process.argv[2] === 'hortusd' ? daemonManual() : manualPage(table));
