import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFileName, agentMark } from '@hortus/contract/agent-file';

/** A fake agent for amd64: a few bytes with a version instead of a hundred million. */
export const AGENT = Buffer.from(`\u007fELF${'.'.repeat(500)}${agentMark('1.2.3')}${'.'.repeat(500)}`);

/** Creates a folder with that agent, and none for arm64. */
export async function writeAgent(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, agentFileName({ os: 'linux', arch: 'amd64' })), AGENT);
  return folder;
}
