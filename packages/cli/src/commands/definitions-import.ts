import { Changes } from '@hortus/client/changes';
import type { Client } from '@hortus/client/client';
import type { Import } from '@hortus/contract/resources/imports';
import { sendVolume } from '../bundle/carrying.ts';
import { passphraseOption, readPassphrase } from '../bundle/passphrase.ts';
import { BundleReader } from '../bundle/read-bundle.ts';
import { command } from '../command-line/command.ts';
import type { Exit } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { followDeployment, type Progress } from '../following/deployment.ts';
import { patiently, poll, SAFETY_MS } from '../following/poll.ts';
import { progressView } from '../following/show-progress.ts';
import { findServer, onlyServer } from '../lookup/servers.ts';
import { waiting, waitOptions } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import { disk } from '../output/words.ts';
import type { World } from '../world/world.ts';

export const definitionsImport = command({
  name: 'definitions import',
  summary: 'Import a definition from a file written by definitions export',
  about:
    'The whole file is checked before anything is sent. The volumes are restored before the first start; if that fails, nothing stays on the server.',
  args: ['file'],
  options: {
    server: { type: 'string', value: 'server', about: 'Target server; optional if there is only one.' },
    name: { type: 'string', value: 'name', about: 'New name of the definition.' },
    'ignore-capacity': { type: 'boolean', about: 'Skip the capacity check of the server.' },
    ...passphraseOption,
    ...waitOptions,
  },
  examples: [
    ['hortus definitions import miniflux.hortus --server web-2 --wait', 'Asks for the passphrase.'],
    ['hortus definitions import miniflux.hortus --server web-2 --name reader', 'Under a new name.'],
  ],
  calls: [
    'servers.list',
    'servers.read',
    'definitions.import',
    'imports.read',
    'imports.fill',
    'imports.cancel',
    'deployments.read',
  ],
  async run({ args, options, json, world, client, settings }) {
    const { wait, timeout } = waiting(options);
    const service = await client();
    const { url, key = '' } = await settings();
    const server = await (options.server === undefined ? onlyServer(service) : findServer(service, options.server));
    const passphrase = await readPassphrase(world, options['passphrase-file'], { twice: false });
    const say = (text: string) => (json ? undefined : world.terminal.note(`${safeLine(text)}\n`));
    say(`Checking ${args.file}`);
    const file = await BundleReader.open(args.file, passphrase);
    try {
      const body = {
        server_id: server.id,
        bundle: file.bundle,
        ...(options.name !== undefined && { instance_uid: options.name }),
        ...(options['ignore-capacity'] && { ignore_capacity: true }),
      };
      const begun = (await service.call('definitions.import', { body })).data;
      const filled = await fill({ service, world, url, key, file, say }, begun);
      if (wait) return await follow({ service, world, json, timeout }, server.name, filled);
      if (json) printJson(world.terminal, filled);
      else {
        const hint = `hortus logs -f --deployment ${filled.deployment_id} follows its deployment.`;
        world.terminal.out(`${filled.instance_uid} was imported to ${server.name}. ${hint}\n`);
      }
      return 'ok';
    } finally {
      await file.close();
    }
  },
});

interface Filling {
  readonly service: Client;
  readonly world: World;
  readonly url: string;
  readonly key: string;
  readonly file: BundleReader;
  say(text: string): void;
}

/** Sends every volume and waits until the definition exists. Cancels the import on any error. */
async function fill({ service, world, url, key, file, say }: Filling, { id }: Import): Promise<Import> {
  const params = { id };
  const read = async () => (await service.call('imports.read', { params })).data;
  const stillWanted = async () => {
    const { status, error } = await patiently(world, read);
    if (status === 'failed') throw new Failure('failed', `The import failed: ${error}`);
  };
  world.leaving(`The import stopped; ${id} expires by itself. Run hortus definitions import again to start over.`);
  try {
    for (const { name, bytes } of file.volumes) {
      say(`Sending the volume ${name}, ${disk(bytes)}`);
      const transfer = (await service.call('imports.fill', { params, body: { volume: name } })).data;
      await sendVolume({ world, client: service, url, key, transfer }, () => file.volume(name), stillWanted);
    }
    let last: Import | undefined;
    const unfinished = `${id} has not finished yet.`;
    using changes = new Changes(service, id);
    const announced = { changes, everyMs: SAFETY_MS };
    const isOver = ({ status }: Import) => status !== 'receiving';
    for await (const seen of poll(world, { unfinished }, read, isOver, announced)) last = seen;
    await stillWanted();
    return last ?? (await read());
  } catch (error) {
    await service.call('imports.cancel', { params }).catch(() => undefined);
    throw error;
  }
}

interface Following {
  readonly service: Client;
  readonly world: World;
  readonly json: boolean;
  readonly timeout: number | undefined;
}

async function follow({ service, world, json, timeout }: Following, server: string, done: Import): Promise<Exit> {
  const { terminal } = world;
  const id = done.deployment_id ?? '';
  const hint = `hortus logs -f --deployment ${id} follows it.`;
  world.leaving(`The deployment continues. ${hint}`);
  const view = json ? undefined : progressView(world, `waiting for ${server} to start it`);
  let last: Progress | undefined;
  for await (const progress of followDeployment(service, id, world, {
    timeout,
    unfinished: `${id} has not finished yet. ${hint}`,
  })) {
    view?.(progress);
    last = progress;
  }
  const healthy = last?.deployment.status === 'success';
  if (json) printJson(terminal, { import: done, deployment: last?.deployment });
  else if (healthy) terminal.out(`${done.instance_uid} is healthy on ${server}.\n`);
  else terminal.note(`${safeLine(last?.deployment.error ?? 'It did not become healthy.')} Its data was imported.\n`);
  return healthy ? 'ok' : 'failed';
}
