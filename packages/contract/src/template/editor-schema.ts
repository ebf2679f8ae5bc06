import { Template } from './schema.ts';

/** Where a running service has it, at its root. */
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
 * The template schema as a document of its own. Draft 7, because that is what the YAML language server and most editors
 * understand whole; the template schema uses nothing newer.
 */
export function editorSchema(publicUrl: string) {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...Template,
    $id: `${publicUrl.replace(/\/+$/, '')}${EDITOR_SCHEMA_PATH}`,
    examples: [EXAMPLE],
  };
}
