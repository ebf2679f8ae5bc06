import { type Config, describeConfig } from '../../config/config.ts';
import type { Resource } from '../../resource.ts';
import type { Pages } from '../../storage/page.ts';
import { settingRoutes } from './routes.ts';

interface Needs {
  readonly config: Config;
  readonly pages: Pages;
}

export const resource = {
  wire: ({ config, pages }: Needs) => ({ handlers: settingRoutes(describeConfig(config), pages) }),
} satisfies Resource<Needs>;
