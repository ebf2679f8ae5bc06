import type { Handlers } from './handler.ts';

/** Reports that the process is alive; `/ready` reports whether it can serve. */
export const healthRoutes = (version: string): Handlers<'health.read'> => ({
  'health.read': async () => ({ success: true, status: 'healthy', timestamp: new Date().toISOString(), version }),
});
