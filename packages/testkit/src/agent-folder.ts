import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFileName, agentMark, signatureFileName } from '@hortus/contract/releases/agent-file';

/** A fake agent for amd64: a few bytes with a version instead of a hundred million. */
export const AGENT = Buffer.from(`\u007fELF${'.'.repeat(500)}${agentMark('1.2.3')}${'.'.repeat(500)}`);

const file = agentFileName({ os: 'linux', arch: 'amd64' });

/** Its signature, which only daemons verify. */
export const AGENT_RELEASE = {
  file,
  version: '1.2.3',
  sha256: createHash('sha256').update(AGENT).digest('hex'),
  signature: 'c2lnbmVk',
};

/** Creates a folder with that agent and its signature, and none for arm64. */
export async function writeAgent(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, file), AGENT);
  await writeFile(join(folder, signatureFileName(file)), JSON.stringify(AGENT_RELEASE));
  return folder;
}
