import { installCommand, installLine, isProtected } from '@hortus/client/install-line';
import type { RegisteredServer } from '@hortus/contract/resources/server-records';
import { useApi } from '../../../api/query.ts';
import { Copied } from '../../../parts/copy.tsx';

/** The line to paste on a new server. It contains the checksums of the daemon that this console has read from the service. */
export function InstallLine({ server }: { server: RegisteredServer }) {
  const amd64 = useApi('implant.read', { params: { os_type: 'linux', arch: 'amd64' } });
  const arm64 = useApi('implant.read', { params: { os_type: 'linux', arch: 'arm64' } });
  // The first read of a binary takes a moment, because the service computes its checksum.
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
