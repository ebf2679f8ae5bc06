import {
  type RunOption,
  type RunOptionName,
  runOptions,
  secretSettings,
  variableOf,
} from '@hortus/daemon/options/run-options';
import { describeConfig, readConfig } from '@hortus/service/config/config';
import { settings } from '@hortus/service/config/settings';
import { variables } from '@hortus/tracing/variables';

/** Renders docs/settings.md from the settings tables of service and daemon. */
export function settingsPage(): string {
  return `${introduction}\n\n## Service\n\n${serviceSettings()}\n\n## Daemon\n\n${daemonIntroduction}\n\n${daemonSettings()}\n\n## Traces and metrics\n\n${tracingIntroduction}\n\n${tracingVariables()}\n`;
}

const introduction = `# Settings

Settings are environment variables; a \`.env\` file in the working directory is read as well, and the environment wins. An unknown
name that starts with \`HORTUS_\` or a wrong value stops the start with a message that names it. \`npx hortus config\` prints the
effective settings without secrets. Each setting of the service can also be read from a file, as containers get their secrets:
\`HORTUS_MASTER_KEY_FILE=/run/secrets/master-key\`. This page is made from the settings tables: do not edit it, run
\`npm run --silent docs:settings > docs/settings.md\`.`;

const daemonIntroduction = `\`hortusd run\` and \`hortusd install\` take each of these as an option or as an environment variable; the option wins. Secrets have no
option, because other users of the machine can read a command line.`;

const tracingIntroduction = `Service and daemon export traces, the service also its metrics, by OTLP over HTTP if the first of these is set
([tracing](decisions/tracing.md)). They are the variables of OpenTelemetry, taken from the environment of each program and not from
\`.env\`; a wrong value is a warning in the log, and nothing is exported.`;

function tracingVariables(): string {
  const rows = Object.entries(variables).map(
    ([name, { standard, meaning }]) => `| \`${name}\` | ${standard} | ${meaning} |`,
  );
  return ['| name | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function daemonSettings(): string {
  const options = Object.entries(runOptions).map(([name, option]: [string, RunOption]) => {
    const variable = variableOf(name as RunOptionName);
    return `| \`--${name}\` | \`${variable}\` | ${escaped(option.standard ?? 'none')} | ${option.meaning} |`;
  });
  const secrets = Object.entries(secretSettings).map(([name, meaning]) => `| | \`${name}\` | none | ${meaning} |`);
  return ['| option | variable | default | meaning |', '| --- | --- | --- | --- |', ...options, ...secrets].join('\n');
}

const escaped = (text: string): string => text.replaceAll('<', '&lt;');

function serviceSettings(): string {
  // The table states defaults that depend on the machine in words, so any working directory serves here.
  const effective = new Map(describeConfig(readConfig({}, '/')).map(({ name, value }) => [name, value]));
  const rows = Object.entries(settings).map(
    ([name, { meaning, standard }]) => `| \`${name}\` | ${standard ?? `\`${effective.get(name)}\``} | ${meaning} |`,
  );
  return ['| name | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}
