import { type RunOption, runOptions, secretSettings } from './run-options.ts';

/** Commands that people call. Help and the manual page hortusd(8) are derived from this table. */
export const commands = {
  run: 'Connect to the service and run its deployments.',
  install: 'Write a systemd unit, its environment and the state directory; does not start it.',
  policy: 'Print the policy of this server in the format of policy.yaml.',
  doctor: 'Print versions, settings, engine, limits and the last errors, without secrets and without the service.',
  version: 'Print the version.',
} as const;

/** Options of single commands, besides those of `run`. */
export const commandOptions = {
  install: {
    'dry-run': { meaning: 'Print what would be written, without the key, and write nothing.' },
    root: { value: 'path', meaning: 'Write below this folder, to build a disk image.' },
  },
  doctor: { json: { meaning: 'Print one JSON document.' } },
} as const satisfies Record<string, Record<string, RunOption>>;

export const purpose = 'hortusd runs the applications that a Hortus service deploys to this server.';
export const doctorNote = 'Without settings, doctor reads those of the installed daemon.';
export const variablesNote =
  'Each option can be given as an environment variable, such as HORTUSD_STATE_DIR for --state-dir. Secrets are never arguments:';

export const exitCodes = {
  0: 'Success; for doctor, no problem and no error in the last 24 hours.',
  1: 'doctor found a problem or an error of the last 24 hours, or the daemon could not shut down cleanly.',
  2: 'Wrong options or settings.',
  70: 'A crash.',
} as const;

export const examples = [
  'hortusd run --key-file /etc/hortusd/key.json',
  'HORTUSD_KEY=… hortusd run --url https://hortus.example.org',
  'hortusd install --url https://hortus.example.org --key-file key.json --dry-run',
  'hortusd policy > /var/lib/hortusd/policy.yaml',
  'hortusd doctor',
] as const;

/** An option as it is typed, with the placeholder of its value. */
export const usageOf = (name: string, { value }: RunOption): string =>
  `--${name}${value === undefined ? '' : ` <${value}>`}`;

/** The meaning of an option with its default. */
export const explained = ({ meaning, standard }: RunOption): string =>
  `${meaning}${standard === undefined ? '' : ` Default: ${standard}.`}`;

/** Builds the text of `hortusd --help`. */
export function helpText(): string {
  const calls = Object.entries(commands).map(([name, meaning]) => {
    const call = `hortusd ${name}${name === 'version' ? '' : ' [options]'}`;
    return `  ${call.padEnd(WIDTH - 3)} ${meaning}`;
  });
  const own = Object.entries(commandOptions).flatMap(([name, options]) => [`Options of ${name}:`, ...lines(options)]);
  const codes = Object.entries(exitCodes).map(([code, meaning]) => `  ${code.padEnd(WIDTH)} ${meaning}`);
  const secrets = Object.entries(secretSettings).map(([name, meaning]) => `  ${name.padEnd(WIDTH)} ${meaning}`);
  return [
    purpose,
    '',
    ...['Usage:', ...calls],
    '',
    ...['Options of run, install, policy and doctor:', ...lines(runOptions), ...own, doctorNote],
    ...[variablesNote, ...secrets],
    '',
    ...['Exit codes:', ...codes],
    '',
    ...['Examples:', ...examples.map((example) => `  ${example}`)],
    '',
  ].join('\n');
}

const lines = (options: Readonly<Record<string, RunOption>>): string[] =>
  Object.entries(options).map(([name, option]) => `  ${usageOf(name, option).padEnd(WIDTH)} ${explained(option)}`);

const WIDTH = 28;
