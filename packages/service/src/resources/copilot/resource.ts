import { fileURLToPath } from 'node:url';
import type { Config } from '../../config/config-fields.ts';
import type { Log } from '../../process/log.ts';
import type { Resource } from '../../resource.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Catalog } from '../templates/public.ts';
import { Knowledge } from './knowledge.ts';
import { copilotRoutes } from './routes.ts';
import { Assistant } from './service.ts';
import { UsageMeter } from './usage.ts';

interface Needs {
  readonly config: Pick<Config, 'assistantUrl' | 'assistantKey' | 'assistantModel' | 'assistantLimits'>;
  readonly log: Log;
  readonly storage: Storage;
  readonly catalog: Catalog;
}

/** Documents that the assistant reads besides the catalog. */
const documentation = ['README.md', 'docs', 'docs/decisions'].map((path) =>
  fileURLToPath(new URL(`../../../../../${path}`, import.meta.url)),
);

const modelOf = ({ assistantUrl: url, assistantKey: key, assistantModel: model }: Needs['config']) =>
  url !== undefined && model !== undefined ? { url, key, model } : undefined;

export const resource = {
  tables: ['assistant_usage'],
  wire: ({ config, log, storage, catalog }: Needs) => {
    const usage = new UsageMeter(storage, config.assistantLimits);
    const knowledge = new Knowledge(catalog, documentation);
    return { handlers: copilotRoutes(new Assistant({ knowledge, usage, model: modelOf(config), log }), usage) };
  },
} satisfies Resource<Needs>;
