import type { QueryOf } from '@hortus/contract/endpoint';
import type { Endpoints } from '@hortus/contract/endpoints';
import { containerLogLevels } from '@hortus/contract/protocol/log-filter';
import { choice } from '@hortus/contract/records/fields';
import Type from 'typebox';
import { findInstance } from '../lookup.ts';
import type { Service } from '../service.ts';
import { quoted } from '../text/untrusted.ts';
import { readTool } from '../tool.ts';

const DEFAULT_LINES = 50;
const MAX_LINES = 200;

/** Reads the last lines of the containers of an instance, quoted as data. */
export async function readLines(service: Service, id: string, query: QueryOf<Endpoints['logs.instance']>) {
  const { data } = await service.call('logs.instance', { params: { id }, query });
  return quoted(
    'Log, oldest first',
    data.lines.map(({ at, component, stream, text }) => `${at} ${component} ${stream}: ${text}`),
  );
}

export const readLogs = readTool({
  name: 'read_logs',
  title: 'Read logs',
  description: 'Read what the containers of an instance wrote, the last lines. Secrets are shown as ***.',
  input: Type.Object(
    {
      instance: Type.String({ minLength: 1, maxLength: 128, description: 'Uid, name or id of the instance.' }),
      lines: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_LINES, default: DEFAULT_LINES, description: 'How many lines.' }),
      ),
      component: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Only of this component; see show_instance.' }),
      ),
      search: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Only lines with these words.' })),
      level: Type.Optional(choice(containerLogLevels, { description: 'Only this level or a more severe one.' })),
      since: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601 time.' })),
    },
    { additionalProperties: false },
  ),
  async read({ service }, { instance, lines, search, ...filter }) {
    const { id } = await findInstance(service, instance);
    return readLines(service, id, { ...filter, ...(search && { q: search }), tail: lines ?? DEFAULT_LINES });
  },
});
