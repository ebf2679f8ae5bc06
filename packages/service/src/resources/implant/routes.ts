import { agentFileName } from '@hortus/contract/releases/agent-file';
import type { implantEndpoints } from '@hortus/contract/resources/implant';
import type { Handlers } from '../../http/handler.ts';
import { notFound, Problem } from '../../problem.ts';
import type { AgentBuilder } from '../../process/agent-builder.ts';
import { iso } from '../../records/time.ts';
import { type Agents, type FoundAgent, platformOf } from './agents.ts';

export const implantRoutes = (
  agents: Agents,
  publicUrl: string,
  builder?: AgentBuilder,
): Handlers<keyof typeof implantEndpoints> => ({
  'implant.read': async ({ params }) => {
    const { handle, platform, version, size, sha256, modifiedAt, release } = await found(agents, builder, params);
    await handle.close();
    const { os, arch } = platform;
    const download_url = `${publicUrl}/api/v1/implant/${os}/${arch}/download`;
    const built_at = iso(Math.floor(modifiedAt));
    return {
      success: true,
      data: { os, arch, version, size, sha256, file_name: agentFileName(platform), built_at, download_url, release },
    };
  },
  'implant.download': async ({ params }) => {
    const { handle, platform, size, sha256 } = await found(agents, builder, params);
    return { handle, size, etag: `"${sha256}"`, name: agentFileName(platform) };
  },
});

/** A build takes about half a minute on an idle machine. */
const RETRY_SECONDS = 10;

async function found(
  agents: Agents,
  builder: AgentBuilder | undefined,
  { os_type, arch }: { os_type: string; arch: string },
): Promise<FoundAgent> {
  const agent = await agents.find(os_type, arch);
  if (agent) return agent;
  const platform = platformOf(os_type, arch);
  const state = platform && builder?.want(platform);
  if (!platform || !state) throw notFound('agent binary');
  const name = agentFileName(platform);
  if (state.status === 'failed')
    throw new Problem('NOT_FOUND', `${name} could not be built: ${state.error}`, { reason: 'build_failed' });
  throw new Problem('NOT_FOUND', `${name} is being built; try again in ${RETRY_SECONDS} seconds.`, {
    reason: 'building',
    retry_after: RETRY_SECONDS,
  });
}
