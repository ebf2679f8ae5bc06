import { describeConfig, readConfig } from '@hortus/service/config';
import { settings } from '@hortus/service/settings';

/** Renders docs/settings.md from the settings table. */
export function settingsPage(): string {
  return `${introduction}\n\n## Service\n\n${serviceSettings()}\n`;
}

const introduction = `# Settings

Settings are environment variables; a \`.env\` file in the working directory is read as well, and the environment wins. An unknown
name that starts with \`HORTUS_\` or a wrong value stops the start with a message that names it. \`npx hortus config\` prints the
effective settings without secrets. This page is made from the settings table: do not edit it, run
\`npm run --silent docs:settings > docs/settings.md\`.`;

function serviceSettings(): string {
  // The table states defaults that depend on the machine in words, so any working directory serves here.
  const effective = new Map(describeConfig(readConfig({}, '/')).map(({ name, value }) => [name, value]));
  const rows = Object.entries(settings).map(
    ([name, { meaning, standard }]) => `| \`${name}\` | ${standard ?? `\`${effective.get(name)}\``} | ${meaning} |`,
  );
  return ['| name | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}
