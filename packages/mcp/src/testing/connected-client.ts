import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { handleRequest } from '../http.ts';
import type { McpOptions } from '../server.ts';
import type { Service } from '../service.ts';

export interface ScriptedCall {
  readonly name: string;
  readonly parts: Readonly<Record<string, unknown>>;
}

type Responses = Readonly<Record<string, (parts: never) => unknown>>;

/** A service with prepared answers by the name of the endpoint; records the calls. */
export function scriptedService(responses: Responses): { service: Service; calls: ScriptedCall[] } {
  const calls: ScriptedCall[] = [];
  const call = async (name: string, parts: Record<string, unknown> = {}) => {
    calls.push({ name, parts });
    const reply = responses[name];
    if (!reply) throw new Error(`The test has no answer for ${name}.`);
    return { success: true, ...(reply(parts as never) as object) };
  };
  return { service: { call } as unknown as Service, calls };
}

export const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const satisfies ClientOptions;

/** Connects the SDK's client to the tools over HTTP, without a socket between. */
export async function connectedClient(
  options: Omit<McpOptions, 'version' | 'seal'> & Partial<McpOptions>,
  client: ClientOptions = modern,
) {
  const server = { version: '1.2.3', seal: async (text: string) => `sealed ${text}`, ...options };
  const fetch = async (url: string | URL, init?: RequestInit) => {
    if (init?.method !== 'POST') return new Response(null, { status: 405 });
    return handleRequest(server, new Request(url, init), JSON.parse(String(init.body)));
  };
  const connected = new Client({ name: 'test', version: '1' }, client);
  await connected.connect(new StreamableHTTPClientTransport(new URL('http://hortus.test/mcp'), { fetch }));
  return connected;
}

/** Returns the text of a tool's result. */
export const textOf = (result: { content?: unknown }): string =>
  (result.content as { text: string }[]).map(({ text }) => text).join('\n');

/** Returns the hash that a plan names. */
export const hashIn = (text: string): string => /plan_hash: (sha256:[0-9a-f]+)/.exec(text)?.[1] ?? `no hash in ${text}`;
