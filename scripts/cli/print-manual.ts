// npm run --silent docs:man: the manual page hortus(1).

import { manualPage } from '@hortus/cli/command-line/manual';
import { table } from '@hortus/cli/commands/table';

process.stdout.write(manualPage(table));
