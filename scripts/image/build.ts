// npm run build:image [-- --platform linux/amd64,linux/arm64]: the service as an OCI image, in dist/image. Without platforms, for the
// one of this machine.
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { agentArchs } from '@hortus/contract/releases/agent-file';
import type { Arch } from '../agent/stripped-node.ts';
import { buildImages } from './image.ts';

const root = join(import.meta.dirname, '../..');
const platforms = agentArchs.map((arch) => `linux/${arch}`);
const { values } = parseArgs({
  options: { platform: { type: 'string', default: `linux/${process.arch === 'x64' ? 'amd64' : process.arch}` } },
});
const wanted = [...new Set(values.platform.split(','))];
const unknown = wanted.filter((platform) => !platforms.includes(platform));
if (unknown.length > 0) {
  console.error(`There is no image for ${unknown.join(', ')}; name ${platforms.join(' or ')}, or both with a comma.`);
  process.exit(2);
}
const epoch = process.env.SOURCE_DATE_EPOCH ?? '0';
if (!/^\d{1,10}$/.test(epoch)) {
  console.error('SOURCE_DATE_EPOCH: must be a number of seconds since 1970.');
  process.exit(2);
}
try {
  const { name, images, layout, release, notes } = await buildImages({
    archs: wanted.map((platform) => platform.split('/')[1] as Arch),
    output: join(root, 'dist/image'),
    time: Number(epoch),
  });
  const shown = (path: string) => relative(process.cwd(), path);
  for (const { arch, archive, digest, size } of images) {
    console.log(`${shown(archive)}  ${name} for linux/${arch}, ${(size / 1e6).toFixed(0)} MB\n  ${digest}`);
  }
  console.log(`${shown(layout)}  OCI layout with ${wanted.join(' and ')}`);
  console.log(
    release.daemons.length > 0
      ? `Contains ${release.daemons.join(' and ')} for new servers.`
      : 'Contains no daemon for new servers: run npm run build:daemon before to include it.',
  );
  for (const note of notes) console.log(note);
} catch (error) {
  console.error(`The image was not built: ${(error as Error).message}`);
  process.exit(1);
}
