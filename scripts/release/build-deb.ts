// npm run build:deb: the Debian package for this machine's architecture, or for those that are named.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agentArchs, agentFileName } from '@hortus/contract/releases/agent-file';
import { RELEASED, VERSION } from '@hortus/contract/releases/version';
import { buildAgent } from '../agent/build.ts';
import type { Arch } from '../agent/stripped-node.ts';
import { buildDebianPackage } from './debian/package.ts';

const root = join(import.meta.dirname, '../..');
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    // Folder with binaries of `npm run build:daemon -- --sign`, to put signed ones into the package.
    daemons: { type: 'string' },
  },
});
const unknown = wanted.filter((arch) => !agentArchs.includes(arch as Arch));
if (unknown.length > 0) {
  console.error(`There is no package for ${unknown.join(', ')}; name ${agentArchs.join(' or ')}.`);
  process.exit(2);
}
const own: Arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const epoch = process.env.SOURCE_DATE_EPOCH;
const date = new Date(epoch === undefined ? RELEASED : Number(epoch) * 1000);
for (const arch of wanted.length > 0 ? (wanted as Arch[]) : [own]) {
  const started = performance.now();
  const daemonsFrom = values.daemons ?? join(root, 'node_modules/.cache/hortus-deb', arch);
  if (values.daemons === undefined)
    await buildAgent({ arch, output: join(daemonsFrom, agentFileName({ os: 'linux', arch })) });
  const output = join(root, 'dist/packages', `hortus_${VERSION}_${arch}.deb`);
  const size = await buildDebianPackage({ arch, version: VERSION, date, daemonsFrom, output });
  console.log(`${output} (${(size / 1e6).toFixed(0)} MB, ${((performance.now() - started) / 1000).toFixed(0)} s)`);
}
