#!/usr/bin/env node
import { isSea } from 'node:sea';
import { parseArgs } from 'node:util';
import { ConfigError } from './options/config-error.ts';
import { commandOptions, helpText } from './options/help.ts';
import { type RunOption, type RunOptions, runOptions } from './options/run-options.ts';

// Without await at the top level, which the CommonJS scripts of the binary do not support.
main(process.argv.slice(2)).catch(crashed);

async function main([command, ...rest]: string[]): Promise<void> {
  switch (command) {
    case 'run':
      await run(rest);
      break;
    case 'install': {
      const [{ readConfig }, { install }] = await Promise.all([
        import('./config/config.ts'),
        import('./install/install.ts'),
      ]);
      const { values } = options(rest, commandOptions.install);
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
      const { stateDirectoryOf } = await import('./config/config.ts');
      const { policyFileOf, printPolicy, readPolicy } = await import('./policy/read-policy.ts');
      const { values } = options(rest);
      process.stdout.write(printPolicy(orFail(() => readPolicy(policyFileOf(stateDirectoryOf(values, process.env))))));
      break;
    }
    case 'doctor': {
      const [{ examine }, { isWell, printExamination }, { withInstalled }] = await Promise.all([
        import('./diagnostics/examine.ts'),
        import('./diagnostics/doctor.ts'),
        import('./diagnostics/installed-environment.ts'),
      ]);
      const { values } = options(rest, commandOptions.doctor);
      const found = await examine(values, withInstalled(process.env));
      process.stdout.write(values.json ? `${JSON.stringify(found, null, 2)}\n` : printExamination(found));
      process.exitCode = isWell(found, Date.now()) ? 0 : 1;
      break;
    }
    case 'version':
    case '--version': {
      const { VERSION } = await import('@hortus/contract/releases/version');
      process.stdout.write(`${VERSION}\n`);
      break;
    }
    case undefined:
    case 'help':
    case '--help':
      process.stdout.write(helpText());
      break;
    default:
      fail(`Unknown command ${command}. See hortusd --help.`);
  }
}

async function run(args: string[]): Promise<void> {
  const [{ readConfig }, { runDaemon }, { CRASHED, endOnCrash, openDaemonLog }, { startTelemetry }, { VERSION }] =
    await Promise.all([
      import('./config/config.ts'),
      import('./run-daemon.ts'),
      import('./diagnostics/daemon-log.ts'),
      import('@hortus/tracing/start'),
      import('@hortus/contract/releases/version'),
    ]);
  const { values } = options(args);
  const config = orFail(() => readConfig(values, process.env));
  const log = openDaemonLog(config);
  endOnCrash(log);
  const env = process.env;
  const telemetry = await startTelemetry({ env, name: 'hortusd', version: VERSION, warn: (text) => log.warn(text) });
  const daemon = await runDaemon({ config, args: ['run', ...args], log }).catch((error: Error) => {
    if (isMistake(error)) return fail(error.message);
    log.fatal({ err: error }, 'the daemon crashed at its start');
    return process.exit(CRASHED);
  });
  // This process only tries this version, and handles signals itself.
  if (daemon === undefined) return;
  log.info({ version: VERSION, url: config.url, state: config.stateDirectory }, 'hortusd started');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // A second signal ends the process at once: the handler runs only once.
    process.once(signal, () => {
      const stopped = daemon.stop().finally(() => telemetry?.stop());
      stopped.then(
        () => process.exit(0),
        (error: Error) => {
          log.error({ err: error }, 'hortusd failed to shut down cleanly');
          process.exit(1);
        },
      );
    });
  }
}

type Values<Options> = {
  readonly [Name in keyof Options]?: (Options[Name] extends { value: string } ? string : boolean) | undefined;
};

/** Reads the options of `run` and those of the command. */
function options<More extends Readonly<Record<string, RunOption>>>(
  args: string[],
  more?: More,
): { values: RunOptions & Values<More> } {
  const known = Object.entries<RunOption>({ ...runOptions, ...more }).map(([name, { value }]) => {
    return [name, { type: value === undefined ? 'boolean' : 'string' }] as const;
  });
  const parsed = orFail(() => parseArgs({ args, options: Object.fromEntries(known) }));
  // Safe: the parser's options come from the same tables as the type.
  return parsed as { values: RunOptions & Values<More> };
}

/** Reports mistakes of the caller in one line; a stack would hide what to do. */
function orFail<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!isMistake(error)) throw error;
    return fail(error.message);
  }
}

/** Wrong options and settings, and missing privileges of the user. */
function isMistake(error: unknown): error is Error {
  const { code = '' } = error as { code?: string };
  return (
    error instanceof ConfigError || code.startsWith('ERR_PARSE_ARGS') || ['EACCES', 'EPERM', 'EROFS'].includes(code)
  );
}

/** Reports an error of a command other than `run`, or from before its log was open. */
async function crashed(error: unknown): Promise<void> {
  const [{ openLog }, { CRASHED }] = await Promise.all([
    import('@hortus/logging/log'),
    import('./diagnostics/daemon-log.ts'),
  ]);
  openLog({ level: 'error' }).fatal({ err: error }, 'hortusd crashed');
  process.exit(CRASHED);
}

function fail(message: string): never {
  process.stderr.write(`hortusd: ${message}\n`);
  process.exit(2);
}
