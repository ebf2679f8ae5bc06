import { withoutTrailing } from '../runtime/trimmed.ts';
import { Template } from './schema.ts';

/** Path of the schema at the root of a running service. */
export const EDITOR_SCHEMA_PATH = '/schemas/template.json';

const EXAMPLE = {
  slug: 'first-page',
  name: 'First page',
  version: '1.0.0',
  archetype: 'asset',
  taxonomy: { kingdom: 'assets', family: 'website' },
  image: { repository: 'docker.io/library/nginx', tag: '1.29.2' },
  inputs: { required: [{ name: 'WEB_HOSTNAME', type: 'domain' }] },
  routes: [{ name: 'web', port: 80, host: '${inputs.WEB_HOSTNAME}' }],
  healthcheck: { http: { port: 80 } },
};

/**
 * Returns the template schema as a standalone document. Draft 7, because the YAML language server and most editors
 * support it fully; the template schema uses nothing newer.
 */
export function editorSchema(publicUrl: string) {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...Template,
    $id: `${withoutTrailing(publicUrl, '/')}${EDITOR_SCHEMA_PATH}`,
    examples: [EXAMPLE],
  };
}
