import type { Handlers } from './handler.ts';

/** Alive, which is not yet able to serve: that is `/ready`. */
export const healthRoutes = (version: string): Handlers<'health.read'> => ({
  'health.read': async () => ({ success: true, status: 'healthy', timestamp: new Date().toISOString(), version }),
});
