import { settingsPage } from './settings-page.ts';

process.stdout.write(settingsPage());
