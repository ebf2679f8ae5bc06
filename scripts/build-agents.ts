// Runs npm run build:daemon after Node and the npm packages are installed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agentArchs, agentFileName } from '@hortus/contract/releases/agent-file';
import { VERSION } from '@hortus/contract/releases/version';
import { readReleaseKey } from '@hortus/daemon/update/release-key';
import { buildAgent } from './agent/build.ts';
import type { Arch } from './agent/stripped-node.ts';
import { publicKeyOf, readPrivateKey } from './release/release-key.ts';
import { signRelease } from './release/sign.ts';

const root = join(import.meta.dirname, '..');
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    // Private key of `npm run release:key`: signs the binaries, and pins its public key in them.
    sign: { type: 'string' },
    // Folder of the binaries; dist by default.
    into: { type: 'string' },
    // Files with further public keys to pin, such as that of the next releases when the key changes.
    'release-key': { type: 'string', multiple: true },
  },
});
const unknown = wanted.filter((arch) => !agentArchs.includes(arch as Arch));
if (unknown.length > 0) {
  console.error(`There is no agent for ${unknown.join(', ')}; name ${agentArchs.join(' or ')}, or nothing for both.`);
  process.exit(2);
}
const signingKey = values.sign === undefined ? undefined : readPrivateKey(values.sign);
const releaseKeys = [...new Set([...(signingKey ? [publicKeyOf(signingKey)] : []), ...further()])];
for (const arch of wanted.length > 0 ? (wanted as Arch[]) : agentArchs) {
  const output = join(values.into ?? join(root, 'dist'), agentFileName({ os: 'linux', arch }));
  const started = performance.now();
  try {
    const { size, notes } = await buildAgent({ arch, output, releaseKeys });
    if (signingKey) await signRelease(output, VERSION, signingKey);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${output} (${(size / 1e6).toFixed(0)} MB, ${seconds} s${signingKey ? ', signed' : ''})`);
    for (const note of notes) console.log(`  ${note}`);
  } catch (error) {
    console.error(`The agent for linux ${arch} was not built: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

function further(): string[] {
  const keys = (values['release-key'] ?? []).map((file) => readReleaseKey(readFileSync(file, 'utf8')));
  return keys.map((key) => key.export({ format: 'der', type: 'spki' }).toString('base64'));
}
