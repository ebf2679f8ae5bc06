import type { Client } from '@hortus/client/client';
import type { RecordedOutput, ShellRecording } from '@hortus/contract/resources/shells';
import type { World } from '../world/world.ts';
import { RESET_SCREEN } from './reset-screen.ts';

/** Plays a recording with its original pauses, divided by the speed; with `json` prints it as asciicast v2. */
export async function replay(
  service: Client,
  world: World,
  id: string,
  { speed, json }: { readonly speed: number; readonly json: boolean },
): Promise<void> {
  const { terminal } = world;
  let at = 0;
  for await (const item of recorded(service, id)) {
    if (!Array.isArray(item)) {
      if (json) terminal.out(`${JSON.stringify(item)}\n`);
      continue;
    }
    const [seconds, , text] = item;
    if (json) {
      terminal.out(`${JSON.stringify(item)}\n`);
      continue;
    }
    if (seconds > at) await world.pause(((seconds - at) * 1_000) / speed);
    at = seconds;
    terminal.out(text);
  }
  if (!json && terminal.live) terminal.out(`${RESET_SCREEN}\r\n`);
}

/** Yields the header, then all events. */
async function* recorded(service: Client, id: string): AsyncGenerator<ShellRecording['header'] | RecordedOutput> {
  for (let after = 0; ; ) {
    const { data } = await service.call('shells.recording', { params: { id }, query: { after } });
    if (after === 0) yield data.header;
    yield* data.events;
    if (data.next === null) return;
    after = data.next;
  }
}
