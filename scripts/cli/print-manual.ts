// npm run --silent docs:man: the manual page hortus(1).
import { table } from '@hortus/cli/commands/table';
import { manualPage } from '@hortus/cli/manual';

process.stdout.write(manualPage(table));
