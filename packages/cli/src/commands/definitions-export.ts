import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Client } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import type { Definition } from '@hortus/contract/resources/definition-records';
import type { Export } from '@hortus/contract/resources/imports';
import { fetchVolume } from '../bundle/carrying.ts';
import { passphraseOption, readPassphrase } from '../bundle/passphrase.ts';
import { BundleWriter } from '../bundle/write-bundle.ts';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { followExecution } from '../following/execution.ts';
import { findDefinition } from '../lookup/definitions.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import { disk } from '../output/words.ts';
import type { World } from '../world/world.ts';

export const definitionsExport = command({
  name: 'definitions export',
  summary: 'Export a definition with its secrets and data to one file',
  about:
    'The file is encrypted with a passphrase; another Hortus can import it. The data comes from a backup of all volumes\nmade for the export, so the instance is stopped briefly.',
  args: ['definition'],
  options: {
    out: { type: 'string', short: 'o', value: 'file', about: 'File to write; default <definition>.hortus.' },
    backup: { type: 'string', value: 'backup', about: 'Use the data of this backup instead of stopping the instance.' },
    force: { type: 'boolean', about: 'Overwrite an existing file.' },
    ...passphraseOption,
  },
  examples: [
    ['hortus definitions export miniflux -o miniflux.hortus', 'Asks for a passphrase.'],
    ['hortus definitions export miniflux --passphrase-file secret.txt', 'For a script.'],
  ],
  calls: [
    'definitions.list',
    'definitions.read',
    'definitions.export',
    'instances.list',
    'backups.create',
    'backups.fetch',
    'backups.delete',
    'actions.read',
    'transfers.report',
  ],
  async run({ args, options, json, world, client, settings }) {
    const service = await client();
    const { url, key = '' } = await settings();
    const definition = await findDefinition(service, args.definition);
    const path = resolve(options.out ?? `${definition.instance_uid}.hortus`);
    if (existsSync(path) && !options.force)
      throw new Failure('usage', `${path} already exists.`, { hint: 'Use --force to replace it.' });
    const passphrase = await readPassphrase(world, options['passphrase-file'], { twice: true });
    const say = (text: string) => (json ? undefined : world.terminal.note(`${safeLine(text)}\n`));
    const taken = await takeOut(service, world, definition, options.backup, say);
    try {
      const { bundle, backup_id, warnings } = taken.exported;
      for (const warning of warnings) say(warning);
      const writer = await BundleWriter.begin(path, passphrase, bundle);
      try {
        for (const { name, bytes } of bundle.volumes) {
          say(`Fetching the volume ${name}, ${disk(bytes)}`);
          const order = { params: { id: backup_id ?? '' }, body: { volume: name } };
          const transfer = (await service.call('backups.fetch', order)).data;
          await writer.volume(name, fetchVolume({ world, client: service, url, key, transfer }));
        }
        const volumes = await writer.finish();
        const { size } = await stat(path);
        const facts = { file: path, size, definition_id: definition.id, revision: bundle.revision, volumes };
        if (json) printJson(world.terminal, facts);
        else
          world.terminal.out(
            `${definition.instance_uid} was exported to ${path}, ${disk(size)}. Keep the passphrase.\n`,
          );
        return 'ok';
      } catch (error) {
        await writer.abandon();
        throw error;
      }
    } finally {
      await taken.tidy();
    }
  },
});

interface TakenOut {
  readonly exported: Export;
  /** Deletes the backup that was made for this export. */
  tidy(): Promise<void>;
}

/** Exports without a backup if none is needed, else from the named backup or a temporary one. */
async function takeOut(
  service: Client,
  world: World,
  definition: Definition,
  named: string | undefined,
  say: (text: string) => void,
): Promise<TakenOut> {
  const params = { id: definition.id };
  const take = async (backup_id?: string) =>
    (await service.call('definitions.export', { params, body: { ...(backup_id !== undefined && { backup_id }) } }))
      .data;
  try {
    return { exported: await take(named), tidy: async () => undefined };
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.details?.reason !== 'required') throw error;
  }
  const id = await backUp(service, world, definition, say);
  const tidy = async () => {
    await service.call('backups.delete', { params: { id } }).catch(() => say(`Backup ${id} could not be deleted.`));
  };
  try {
    return { exported: await take(id), tidy };
  } catch (error) {
    await tidy();
    throw error;
  }
}

async function backUp(service: Client, world: World, { id, instance_uid }: Definition, say: (text: string) => void) {
  const all = (await service.call('instances.list', { query: { definition_id: id } })).data;
  const instance = all.find(({ status }) => status !== 'released');
  if (!instance) {
    const hint = 'Deploy it, or name one of its backups with --backup.';
    throw new Failure('refused', `${instance_uid} is not deployed, so its data cannot be read.`, { hint });
  }
  say(`Stopping ${instance_uid} briefly to copy its volumes`);
  const order = { params: { id: instance.id }, body: { extent: 'volumes' as const } };
  const { execution, backup } = await service.call('backups.create', order);
  const unfinished = `${execution.id} has not finished yet.`;
  const { status, error } = await followExecution(service, execution, world, { unfinished });
  if (status === 'completed') return backup.id;
  throw new Failure('failed', `The volumes of ${instance_uid} could not be copied: ${error ?? status}`);
}
