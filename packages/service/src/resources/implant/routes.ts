import { agentFileName } from '@hortus/contract/agent-file';
import type { implantEndpoints } from '@hortus/contract/resources/implant';
import type { Handlers } from '../../http/handler.ts';
import { notFound } from '../../problem.ts';
import { iso } from '../../time.ts';
import type { Agents, FoundAgent } from './agents.ts';

export const implantRoutes = (agents: Agents, publicUrl: string): Handlers<keyof typeof implantEndpoints> => ({
  'implant.read': async ({ params }) => {
    const { handle, platform, version, size, sha256, modifiedAt, release } = await found(agents, params);
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
    const { handle, platform, size, sha256 } = await found(agents, params);
    return { handle, size, etag: `"${sha256}"`, name: agentFileName(platform) };
  },
});

async function found(agents: Agents, { os_type, arch }: { os_type: string; arch: string }): Promise<FoundAgent> {
  const agent = await agents.find(os_type, arch);
  if (!agent) throw notFound('agent binary');
  return agent;
}
