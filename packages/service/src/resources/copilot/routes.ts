import type { copilotEndpoints } from '@hortus/contract/resources/copilot';
import type { Handlers } from '../../http/handler.ts';
import type { Assistant } from './service.ts';
import type { UsageMeter } from './usage.ts';

export const copilotRoutes = (assistant: Assistant, usage: UsageMeter): Handlers<keyof typeof copilotEndpoints> => ({
  'copilot.ask': async ({ principal, body, emit, gone }) => {
    const notify = (text: string) => emit('delta', { text });
    return { success: true, data: await assistant.ask(principal, body.question, { notify, signal: gone() }) };
  },
  'copilot.usage': async ({ principal }) => ({ success: true, data: await usage.read(principal) }),
});
