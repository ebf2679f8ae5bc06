import { HELLO_IMAGE } from '@hortus/template/notation/made-images';
import type { Engine, ImageFacts } from '../engine/engine.ts';
import { helloContent } from './hello.ts';
import { imageArchive } from './image-archive.ts';
import { programFolders } from './program.ts';

/** The image cannot be made here; the message says why and what would help. */
export class NotMakeable extends Error {}

/** Architectures of Node in the terms of images. */
const archs: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

type Maker = Pick<Engine, 'image' | 'loadImages' | 'platform'>;

export interface MadeImage extends ImageFacts {
  /** Program that it was made of; undefined if the engine had the image. */
  readonly from: string | undefined;
}

/** Ensures that the engine has the image; `again` makes it from the programs that this machine has now. */
export async function makeImage(
  engine: Maker,
  image: string,
  { again = false, folders = programFolders() }: { again?: boolean; folders?: readonly string[] } = {},
): Promise<MadeImage> {
  if (image !== HELLO_IMAGE)
    throw new NotMakeable(`${image} has a reserved name, and the only image that servers make is ${HELLO_IMAGE}`);
  const there = await engine.image(image);
  if (there !== undefined && !again) return { ...there, from: undefined };
  const content = await helloContent(folders);
  if (content === undefined) {
    if (there !== undefined) return { ...there, from: undefined };
    throw new NotMakeable(
      `${image} is made on the server from busybox or Caddy, and this server has neither. Run as root, then deploy again: apt-get install busybox-static`,
    );
  }
  const [arch, server] = [archs[process.arch] ?? process.arch, await engine.platform()];
  if (server.os !== 'linux' || server.arch !== arch)
    throw new NotMakeable(
      `${image} is made of ${content.from}, a program for linux/${arch}, but the engine runs ${server.os}/${server.arch}`,
    );
  await engine.loadImages(await imageArchive(image, arch, content));
  const made = await engine.image(image);
  if (made === undefined) throw new NotMakeable(`The engine loaded ${image}, but does not have it under that name`);
  return { ...made, from: content.from };
}
