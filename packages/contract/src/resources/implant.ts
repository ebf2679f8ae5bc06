import Type, { type Static } from 'typebox';
import { agentArchs, agentSystems } from '../agent-file.ts';
import { endpoint } from '../endpoint.ts';
import { answer, fileBytes, Timestamp } from '../envelope.ts';
import { choice, givenId, nullable } from '../fields.ts';

export const AgentBinary = Type.Object(
  {
    os: choice(agentSystems),
    arch: choice(agentArchs),
    version: nullable(Type.String(), { description: 'As the binary itself says; null if it does not.' }),
    size: Type.Integer({ description: 'Bytes.' }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the whole file, in hexadecimal.' }),
    file_name: Type.String({ examples: ['hortusd-linux-amd64'] }),
    built_at: Timestamp,
    download_url: Type.String({ description: 'Where the binary is; it takes the same keys as this.' }),
  },
  { title: 'AgentBinary' },
);
export type AgentBinary = Static<typeof AgentBinary>;

const params = Type.Object({
  os_type: givenId('Operating system: linux.'),
  arch: givenId('Processor: amd64 or arm64.'),
});

export const implantEndpoints = {
  'implant.read': endpoint({
    method: 'GET',
    path: '/implant/{os_type}/{arch}',
    tag: 'implant',
    summary: 'Read about the agent binary for a kind of machine',
    description: 'Not found where it was not built: npm run build:daemon makes it.',
    permission: 'servers:read',
    daemon: true,
    params,
    response: answer(AgentBinary),
  }),
  'implant.download': endpoint({
    method: 'GET',
    path: '/implant/{os_type}/{arch}/download',
    tag: 'implant',
    summary: 'Download the agent binary',
    description:
      'The bytes of the file, whose ETag is its sha256. One range of bytes can be asked for, so that a download that broke can go on.',
    permission: 'servers:read',
    daemon: true,
    file: true,
    params,
    response: fileBytes,
  }),
};
