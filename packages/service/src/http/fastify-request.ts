import type { Principal } from '../identity/principal.ts';
import type { Access } from './gate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined where nobody had to say who they are. */
    principal: Principal | undefined;
    address: string;
  }
  interface FastifyContextConfig {
    /** What the request counts as in the metrics: the name of its row, or of the page. */
    name?: string;
    access?: Access;
  }
}
