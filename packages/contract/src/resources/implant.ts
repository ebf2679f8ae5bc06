import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, fileBytes, Timestamp } from '../envelope.ts';
import { choice, idParam, nullable } from '../records/fields.ts';
import { agentArchs, agentSystems } from '../releases/agent-file.ts';
import { ReleaseSignature } from '../releases/release-signature.ts';

export const AgentBinary = Type.Object(
  {
    os: choice(agentSystems),
    arch: choice(agentArchs),
    version: nullable(Type.String(), { description: 'Version found in the binary; null if there is none.' }),
    size: Type.Integer({ description: 'Bytes.' }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Checksum of the whole file, in hexadecimal.' }),
    file_name: Type.String({ examples: ['hortusd-linux-amd64'] }),
    built_at: Timestamp,
    download_url: Type.String({ description: 'Address of the binary; needs the same permission as this request.' }),
    release: nullable(ReleaseSignature, {
      description:
        'Signature of this file, without which no daemon updates itself to it; null if it is not signed. The service does not verify it: daemons do, with the key that they were built with.',
    }),
  },
  { title: 'AgentBinary' },
);
export type AgentBinary = Static<typeof AgentBinary>;

const params = Type.Object({
  os_type: idParam('Operating system: linux.'),
  arch: idParam('Processor: amd64 or arm64.'),
});

export const implantEndpoints = {
  'implant.read': endpoint({
    method: 'GET',
    path: '/implant/{os_type}/{arch}',
    tag: 'implant',
    summary: 'Read the metadata of the agent binary for a platform',
    description:
      'NOT_FOUND if there is none. Where the service runs by npm start, the first request builds it in the background: until then NOT_FOUND has the reason building and Retry-After, after a failure the reason build_failed. Elsewhere npm run build:daemon builds it.',
    permission: 'servers:read',
    daemon: true,
    params,
    response: envelope(AgentBinary),
  }),
  'implant.download': endpoint({
    method: 'GET',
    path: '/implant/{os_type}/{arch}/download',
    tag: 'implant',
    summary: 'Download the agent binary',
    description: 'The bytes of the file; its ETag is its sha256. Supports one byte range, to resume a broken download.',
    permission: 'servers:read',
    daemon: true,
    file: true,
    params,
    response: fileBytes,
  }),
};
