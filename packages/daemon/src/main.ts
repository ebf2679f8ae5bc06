#!/usr/bin/env node
import { isSea } from 'node:sea';
import { type ParseArgsConfig, parseArgs } from 'node:util';

const HELP = `hortusd keeps the instances of this server as the service wants them.

Usage:
  hortusd run [options]      connect to the service and work
  hortusd install [options]  write a systemd unit, its environment and the state directory; starts nothing
  hortusd policy [options]   print what this server allows, as policy.yaml has it
  hortusd version            print the version

Options of run and install:
  --url <address>            of the service, such as https://hortus.example.org/api/v1
  --allow-plaintext          send the server key over http to another machine; for closed networks only
  --key-file <path>          JSON {url, server_id, api_key, manifest_public_key}, or the bare key
  --server-id <id>           of this server, unless the key file has it
  --public-key <base64>      of the service, unless the key file has it; pinned at the first start
  --state-dir <path>         journal, policy.yaml and pins; /var/lib/hortusd
  --backup-dir <path>        where backups are kept; backups in the state directory
  --s3-bucket <name>         keeps backups there instead, in a service that speaks S3; with
  --s3-endpoint <address>    of the service, https://s3.<region>.amazonaws.com
  --s3-region <name>         us-east-1
  --s3-prefix <path>         what the names of all objects begin with
  --s3-path-style <on|off>   the bucket is in the path; on if an endpoint is given
  --s3-credentials-file <path>  JSON {access_key_id, secret_access_key, session_token?}; otherwise in
                             HORTUSD_S3_ACCESS_KEY_ID, HORTUSD_S3_SECRET_ACCESS_KEY, HORTUSD_S3_SESSION_TOKEN
  --docker-socket <path>     /var/run/docker.sock
  --caddy <path>             serves the routes; the one in PATH, or off for none
  --ingress-http <port>      where Caddy listens, 80; --ingress-https <port>, 443
  --network-pool <blocks>    where subnets of instances come from, such as 10.254.0.0/16; chosen to fit the server
  --drift-every <seconds>    how often instances are held against what was deployed; 120
  --log-level <level>        debug, info, warn or error; info
Options of install:
  --dry-run                  only say what would be written; the key is not shown
  --root <path>              write below this folder, to make an image
The key itself is never an argument: it stands in the key file or in HORTUSD_KEY. Every other option can be given as
HORTUSD_URL, HORTUSD_ALLOW_PLAINTEXT=true, HORTUSD_SERVER_ID, HORTUSD_PUBLIC_KEY, HORTUSD_STATE_DIR, HORTUSD_BACKUP_DIR, HORTUSD_S3_BUCKET,
HORTUSD_S3_ENDPOINT, HORTUSD_S3_REGION, HORTUSD_S3_PREFIX, HORTUSD_S3_PATH_STYLE, HORTUSD_S3_CREDENTIALS_FILE, HORTUSD_DOCKER_SOCKET,
HORTUSD_CADDY, HORTUSD_INGRESS_HTTP, HORTUSD_INGRESS_HTTPS, HORTUS_NETWORK_POOL, HORTUSD_DRIFT_EVERY, HORTUSD_LOG_LEVEL.

Examples:
  hortusd run --key-file /etc/hortusd/key.json
  HORTUSD_KEY=… hortusd run --url https://hortus.example.org
  hortusd install --url https://hortus.example.org --key-file key.json --dry-run
  hortusd policy > /var/lib/hortusd/policy.yaml
`;

const [command, ...rest] = process.argv.slice(2);

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
    // Loaded alone: a shim should be small, and ready soon.
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
    fail(`There is no command ${command}. See hortusd --help.`);
}

async function run(args: string[]): Promise<void> {
  const [{ readConfig }, { Daemon }, { openLog }] = await Promise.all([
    import('./config.ts'),
    import('./daemon.ts'),
    import('./log.ts'),
  ]);
  const { values } = options(args);
  const config = orFail(() => readConfig(values, process.env));
  const log = openLog(config.logLevel);
  const shimCommand = isSea() ? { shimCommand: [process.execPath, 'exec-shim'] } : {};
  const daemon = orFail(() => new Daemon({ config, log, ...shimCommand }));
  daemon.start();
  log.info('hortusd has started', { url: config.url, state: config.stateDirectory });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // A second one means it: the handler is gone by then and the default ends the process.
    process.once(signal, () => {
      daemon.stop().then(
        () => process.exit(0),
        (error: Error) => {
          log.error('hortusd did not stop in order', { error });
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
  const text = { type: 'string' } as const;
  return orFail(() =>
    parseArgs({
      args,
      options: {
        url: text,
        'allow-plaintext': { type: 'boolean' } as const,
        'key-file': text,
        'server-id': text,
        'public-key': text,
        'state-dir': text,
        'backup-dir': text,
        's3-bucket': text,
        's3-endpoint': text,
        's3-region': text,
        's3-prefix': text,
        's3-path-style': text,
        's3-credentials-file': text,
        'docker-socket': text,
        caddy: text,
        'ingress-http': text,
        'ingress-https': text,
        'network-pool': text,
        'drift-every': text,
        'log-level': text,
        ...(more as More),
      },
    }),
  );
}

/** What the person who started it did wrong is told in one line, without a stack. */
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
