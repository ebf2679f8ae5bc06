import { installCommand, installLine, isProtected } from '@hortus/client/install-line';
import { ApiProblem } from '@hortus/client/problem';
import type { AgentPlatform } from '@hortus/contract/releases/agent-file';
import type { RegisteredServer } from '@hortus/contract/resources/server-records';
import { useEffect } from 'react';
import { useApi } from '../../../api/query.ts';
import { Copied } from '../../../parts/copy.tsx';

/** The line to paste on a new server. It contains the checksums of the daemon that this console has read from the service. */
export function InstallLine({ server }: { server: RegisteredServer }) {
  const amd64 = useAgent('amd64');
  const arm64 = useAgent('arm64');
  // The first read of a binary takes a moment, because the service computes its checksum.
  if (isBuilding(amd64) || isBuilding(arm64))
    return (
      <p className="text-ink-3">The service is building its daemon; the line to paste appears here when it is done…</p>
    );
  if (amd64.isPending || arm64.isPending) return <p className="text-ink-3">Reading the checksums of the daemon…</p>;
  const { origin } = location;
  const offered = amd64.data?.data ?? arm64.data?.data;
  const sums = { amd64: amd64.data?.data.sha256, arm64: arm64.data?.data.sha256 };
  return (
    <>
      <Copied text={offered ? installLine(origin, server, sums) : installCommand(origin, server)} label="Copy line" />
      {offered ? (
        <p className="mt-3 text-sm text-ink-3">
          It downloads the daemon{offered.version && ` ${offered.version}`}, compares its SHA-256 with the one in the
          line, and runs nothing if they differ.
        </p>
      ) : (
        <p className="mt-3 text-sm text-warn-ink">
          This service has no daemon to download yet. Install the Debian package on the server first, or build the
          daemon where the service runs: <code>npm run build:daemon</code>
        </p>
      )}
      {!isProtected(origin) && (
        <p className="mt-3 text-sm text-warn-ink">
          This console is not reached over https. Anybody on the way can read the key; use a closed network only.
        </p>
      )}
    </>
  );
}

const BUILD_POLL_MS = 3_000;

/** Reads the binary for a processor, again and again while the service is building it: no event tells of its end. */
function useAgent(arch: AgentPlatform['arch']) {
  const agent = useApi('implant.read', { params: { os_type: 'linux', arch } });
  const building = isBuilding(agent);
  const { refetch } = agent;
  useEffect(() => {
    if (!building) return;
    const timer = setInterval(() => void refetch(), BUILD_POLL_MS);
    return () => clearInterval(timer);
  }, [building, refetch]);
  return agent;
}

const isBuilding = ({ error }: { readonly error: Error | null }): boolean =>
  error instanceof ApiProblem && error.details.reason === 'building';
