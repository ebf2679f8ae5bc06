#!/usr/bin/env node
import { isSea } from 'node:sea';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type RunOptions, runOptions, runOptionsHelp, secretSettings } from './run-options.ts';

const HELP = `hortusd runs the applications that a Hortus service deploys to this server.

Usage:
  hortusd run [options]      Connect to the service and run its deployments.
  hortusd install [options]  Write a systemd unit, its environment and the state directory; does not start it.
  hortusd policy [options]   Print the policy of this server in the format of policy.yaml.
  hortusd version            Print the version.

Options of run and install:
${runOptionsHelp()}
Options of install:
  --dry-run                    Print what would be written, without the key, and write nothing.
  --root <path>                Write below this folder, to build a disk image.
Each option can be given as an environment variable, such as HORTUSD_STATE_DIR for --state-dir. Secrets are never arguments:
${Object.entries(secretSettings)
  .map(([name, meaning]) => `  ${name.padEnd(28)} ${meaning}`)
  .join('\n')}

Examples:
  hortusd run --key-file /etc/hortusd/key.json
  HORTUSD_KEY=… hortusd run --url https://hortus.example.org
  hortusd install --url https://hortus.example.org --key-file key.json --dry-run
  hortusd policy > /var/lib/hortusd/policy.yaml
`;

// Without await at the top level, which the CommonJS scripts of the binary do not support.
main(process.argv.slice(2));

async function main([command, ...rest]: string[]): Promise<void> {
  switch (command) {
    case 'run':
      await run(rest);
      break;
    case 'install': {
      const [{ readConfig }, { install }] = await Promise.all([import('./config.ts'), import('./install/install.ts')]);
      const { values } = options(rest, { 'dry-run': { type: 'boolean' }, root: { type: 'string' } });
      const said = orFail(() =>
        install({
          config: readConfig(values, process.env),
          program: isSea() ? { binary: process.execPath } : { command: [process.execPath, import.meta.filename] },
          root: values.root ?? '/',
          dryRun: values['dry-run'] ?? false,
        }),
      );
      process.stdout.write(said);
      break;
    }
    case 'exec-shim': {
      // Imported alone, to keep the shim small and its start fast.
      const { runShim } = await import('./actions/exec-shim.ts');
      await runShim(rest[0] ?? fail('exec-shim is started by the daemon itself.'));
      process.exit(0);
      break;
    }
    case 'policy': {
      const { stateDirectoryOf } = await import('./config.ts');
      const { policyFileOf, printPolicy, readPolicy } = await import('./policy/read-policy.ts');
      const { values } = options(rest);
      process.stdout.write(printPolicy(orFail(() => readPolicy(policyFileOf(stateDirectoryOf(values, process.env))))));
      break;
    }
    case 'version':
    case '--version': {
      const { VERSION } = await import('./version.ts');
      process.stdout.write(`${VERSION}\n`);
      break;
    }
    case undefined:
    case 'help':
    case '--help':
      process.stdout.write(HELP);
      break;
    default:
      fail(`Unknown command ${command}. See hortusd --help.`);
  }
}

async function run(args: string[]): Promise<void> {
  const [{ readConfig }, { runDaemon }, { openLog }, { startTelemetry }, { VERSION }] = await Promise.all([
    import('./config.ts'),
    import('./run-daemon.ts'),
    import('./log.ts'),
    import('@hortus/tracing/start'),
    import('./version.ts'),
  ]);
  const { values } = options(args);
  const config = orFail(() => readConfig(values, process.env));
  const log = openLog(config.logLevel);
  const env = process.env;
  const telemetry = await startTelemetry({ env, name: 'hortusd', version: VERSION, warn: (text) => log.warn(text) });
  const daemon = await runDaemon({ config, args: ['run', ...args], log }).catch((error: Error) => fail(error.message));
  // This process only tries this version, and handles signals itself.
  if (daemon === undefined) return;
  log.info('hortusd started', { version: VERSION, url: config.url, state: config.stateDirectory });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // A second signal ends the process at once: the handler runs only once.
    process.once(signal, () => {
      const stopped = daemon.stop().finally(() => telemetry?.stop());
      stopped.then(
        () => process.exit(0),
        (error: Error) => {
          log.error('hortusd failed to shut down cleanly', { error });
          process.exit(1);
        },
      );
    });
  }
}

function options<More extends NonNullable<ParseArgsConfig['options']> = Record<never, never>>(
  args: string[],
  more?: More,
) {
  const known = Object.entries(runOptions).map(([name, option]) => {
    return [name, { type: 'value' in option ? 'string' : 'boolean' }] as const;
  });
  const parsed = orFail(() => parseArgs({ args, options: { ...Object.fromEntries(known), ...(more as More) } }));
  // Safe: the parser's options come from the same table as the type.
  return parsed as { values: RunOptions & ReturnType<typeof parseArgs<{ options: More }>>['values'] };
}

/** Reports the caller's mistakes in one line, without a stack trace. */
function orFail<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    return fail((error as Error).message);
  }
}

function fail(message: string): never {
  process.stderr.write(`hortusd: ${message}\n`);
  process.exit(2);
}
