import { createMcpHandler } from '@modelcontextprotocol/server';
import { buildServer, type McpOptions } from './server.ts';

/**
 * Serves one HTTP request of an authenticated caller. Every request stands alone: there are no sessions and no subscriptions, so
 * that any replica can answer it and nothing remains afterwards.
 */
export const handleRequest = (options: McpOptions, request: Request, body: unknown): Promise<Response> =>
  createMcpHandler(() => buildServer(options), { maxSubscriptions: 0 }).fetch(request, { parsedBody: body });
