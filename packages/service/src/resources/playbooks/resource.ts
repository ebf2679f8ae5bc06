import type { Resource } from '../../resource.ts';
import { playbookRoutes } from './routes.ts';

export const resource = {
  wire: () => ({ handlers: playbookRoutes() }),
} satisfies Resource<unknown>;
