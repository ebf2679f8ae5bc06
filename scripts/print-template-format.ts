import { templateFormatPage } from './template-format-page.ts';

process.stdout.write(templateFormatPage());
