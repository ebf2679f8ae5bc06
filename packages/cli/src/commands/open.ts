import { command } from '../command-line/command.ts';
import { printDone } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { findInstance } from '../lookup/instances.ts';
import { safeLine } from '../output/safe-text.ts';
import type { World } from '../world/world.ts';

export const open = command({
  name: 'open',
  summary: 'Open the address of an instance in the browser',
  about: 'Prints the address where there is no desktop, such as on a server.',
  args: ['instance'],
  options: { print: { type: 'boolean', about: 'Only print the address.' } },
  examples: [
    ['hortus open miniflux', 'In the default browser.'],
    ['hortus open miniflux --print', 'The address alone, for a script.'],
  ],
  calls: ['instances.list', 'instances.read'],
  async run(call) {
    const { args, options, world } = call;
    const { instance_uid, url, status, health } = await findInstance(await call.client(), args.instance);
    if (url === null)
      throw new Failure('failed', `${instance_uid} has no address: its template declares no route.`, {
        hint: `hortus instances show ${instance_uid} shows its containers.`,
      });
    if (status !== 'running' || health === 'unhealthy')
      world.terminal.note(`${instance_uid} is ${status === 'running' ? health : status}; it may not answer.\n`);
    const isOpened = !call.json && !options.print && (await openInBrowser(world, url));
    return printDone(call, { url }, isOpened ? `Opened ${safeLine(url)}` : safeLine(url));
  },
});

/** Returns false if there is no desktop or no program for it. */
async function openInBrowser({ env, programs }: World, url: string): Promise<boolean> {
  const isDesktop = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  // Another scheme could start something else than a browser.
  return isDesktop && /^https?:\/\//i.test(url) && (await programs.start('xdg-open', [url]));
}
