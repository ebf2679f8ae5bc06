import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { compareVersions } from '@hortus/template/notation/version-order';
import { valueOptions } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { findServer, onlyServer } from '../lookup/servers.ts';
import { printJson } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { safeLine } from '../output/safe-text.ts';
import { durationOf } from '../output/words.ts';
import type { TakenStep } from '../verifying/run.ts';
import type { Terminal } from '../world/terminal.ts';

const STEP_MS = 1_800_000;

export const templateVerify = command({
  name: 'template verify',
  summary: 'Run a species through everything, and stamp its template',
  about:
    'On a server, with a throw-away instance: deploys it, runs its smoke test, backs it up, proves the backup, removes it with its data, restores it, and upgrades it from the version before, or deploys it again if there is none. Then removes everything; a failed removal is reported beside a failed step.\nInputs without a default get example values. With --catalog, a run that passed is recorded in verified.json beside the template.',
  args: ['species'],
  options: {
    server: { type: 'string', value: 'server', about: 'The server, by name or id; optional if there is only one.' },
    set: { type: 'string', value: 'input=value', multiple: true, about: 'Value of an input instead of the example.' },
    'set-file': { type: 'string', value: 'input=path', multiple: true, about: 'The same, read from a file.' },
    profile: { type: 'string', value: 'profile', about: 'Another profile.' },
    catalog: { type: 'string', value: 'folder', about: 'Write the stamp into this folder of templates.' },
    timeout: { type: 'string', value: 'time', about: 'Maximum time of each step; 30m by default.' },
    keep: { type: 'boolean', about: 'Keep the instance of a failed run, to look at it.' },
  },
  examples: [
    ['hortus template verify miniflux', 'Says which step failed, and why.'],
    [
      'hortus template verify miniflux --server web-1 --catalog catalog',
      'Writes verified.json beside the template in that folder.',
    ],
  ],
  calls: [
    'templates.read',
    'templates.versions',
    'servers.list',
    'servers.read',
    'definitions.create',
    'definitions.archive',
    'deployments.execute',
    'deployments.read',
    'deployments.list',
    'instances.read',
    'instances.smoke',
    'instances.release',
    'actions.read',
    'backups.create',
    'backups.verify',
    'backups.restore',
    'backups.list',
    'backups.delete',
    'upgrades.scan',
    'upgrades.list',
    'upgrades.apply',
    'upgrades.read',
  ],
  async run({ args, options, json, client, world }) {
    const { terminal } = world;
    const timeout = options.timeout === undefined ? STEP_MS : durationOf(options.timeout);
    if (timeout === undefined) throw new Failure('usage', '--timeout is a time such as 90s, 10m or 1h30m.');
    const inputs = await valueOptions(world, { set: 'set', setFile: 'set-file' }, options.set, options['set-file']);
    const service = await client();
    const server = options.server === undefined ? await onlyServer(service) : await findServer(service, options.server);
    const params = { species: args.species };
    const template = (await service.call('templates.read', { params })).data;
    const spec = template.spec.canonical as unknown as Canonical;
    const { digestOf, folderToStamp, writeStamp } = await import('../verifying/stamp.ts');
    // Before the run: a stamp that cannot be written should not cost half an hour.
    const folder = options.catalog === undefined ? undefined : await folderToStamp(options.catalog, spec);
    const versions = (await service.call('templates.versions', { params })).data;
    const before = versions.filter(({ version }) => compareVersions(version, template.version) < 0);
    const earlier = before.sort((a, b) => compareVersions(b.version, a.version))[0]?.id;

    const { VerificationRun } = await import('../verifying/run.ts');
    const about = { template, spec, server, inputs, profile: options.profile, timeout };
    const run = new VerificationRun(service, world, about);
    world.leaving(`${run.uid} may be left on ${server.name}. Remove it with hortus definitions archive ${run.uid}`);
    const steps: TakenStep[] = [];
    const remove = async () => {
      const error = await run.clear();
      if (error !== undefined) terminal.note(leftLine(terminal, { uid: run.uid, server: server.name, error }));
      return error;
    };
    try {
      for await (const step of run.take(earlier)) {
        steps.push(step);
        if (!json) terminal.out(stepLine(terminal, step));
      }
    } catch (thrown) {
      await remove();
      throw thrown;
    }
    const hasFailed = steps.at(-1)?.error !== undefined;
    const isKept = hasFailed && options.keep;
    if (isKept)
      terminal.note(`${run.uid} was kept on ${server.name}. Remove it with hortus instances release ${run.uid}\n`);
    const removalError = isKept ? undefined : await remove();
    const result = {
      species: args.species,
      version: template.version,
      steps,
      ...(removalError !== undefined && { removal_error: removalError }),
    };
    if (hasFailed || removalError !== undefined) {
      if (json) printJson(terminal, { ...result, passed: false });
      else terminal.note(`${safeLine(template.name)} ${template.version} did not pass on ${server.name}.\n`);
      return 'failed';
    }

    const digest = digestOf(spec, run.images);
    const stamp = digest && {
      at: new Date(world.now()).toISOString(),
      digest,
      spec_hash: template.spec_hash,
      arch: server.daemon.arch ?? 'unknown',
      steps: [...new Set(steps.map(({ name }) => name))],
    };
    if (folder !== undefined && !stamp)
      throw new Failure(
        'refused',
        'It passed, but its image has no digest: it did not come from a registry. Nothing was stamped.',
      );
    const written = folder !== undefined && stamp ? await writeStamp(folder, stamp) : null;
    if (json) printJson(terminal, { ...result, passed: true, stamp: stamp ?? null, file: written });
    else {
      terminal.out(`${safeLine(template.name)} ${template.version} passed on ${server.name}.\n`);
      if (written) terminal.out(`Stamped: ${written}\n`);
    }
    return 'ok';
  },
});

function leftLine(terminal: Terminal, left: { uid: string; server: string; error: string }): string {
  const hint = `It may be left on ${left.server}: hortus instances release ${left.uid}, then hortus definitions archive ${left.uid}`;
  return `${paint(terminal, 'bad', '✗')} removal of ${left.uid}: ${safeLine(left.error)}\n${hint}\n`;
}

function stepLine(terminal: Terminal, { name, seconds, error }: TakenStep): string {
  const mark = error === undefined ? paint(terminal, 'good', '✓') : paint(terminal, 'bad', '✗');
  return `${mark} ${name}, ${seconds} s${error === undefined ? '' : `: ${safeLine(error)}`}\n`;
}
