import { createHash, timingSafeEqual } from 'node:crypto';
import { acceptedContent, type InputRequiredResult, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import type { Danger, Person } from './tool.ts';

/** Signs a text for the caller, so that it can be recognised by every replica when the client sends it back. */
export type Seal = (text: string) => Promise<string>;

const FIELD = 'confirm';
/** How long a person may take to answer. */
const VALID_MS = 10 * 60_000;

/** What the client sends with a call that it repeats with the person's answer. */
export interface Reply {
  readonly responses: Record<string, unknown> | undefined;
  readonly state: unknown;
}

/**
 * Asks the person in the client. The answer counts only with our seal on the same plan: a client that was never asked about this
 * plan cannot have an answer to it.
 */
export function askingPerson(seal: Seal, canBeAsked: boolean, { responses, state }: Reply): Person {
  return {
    canBeAsked,
    async confirmationOf(planHash) {
      const response = inputResponse(responses, FIELD);
      if (response.kind !== 'elicit' || typeof state !== 'string') return undefined;
      const [until = '', ...rest] = state.split('.');
      if (Number(until) < Date.now() || !equal(rest.join('.'), await seal(sealed(planHash, until)))) return undefined;
      if (response.action !== 'accept') return 'declined';
      const { confirm } = acceptedContent<{ confirm?: unknown }>(responses, FIELD) ?? {};
      return confirm === true ? 'confirmed' : 'declined';
    },
  };
}

/** Makes the question that the client shows; the client answers it only by its person. */
export async function question(seal: Seal, danger: Danger, planHash: string): Promise<InputRequiredResult> {
  const until = String(Date.now() + VALID_MS);
  return inputRequired({
    inputRequests: {
      [FIELD]: inputRequired.elicit({
        message: danger.question,
        requestedSchema: {
          type: 'object',
          properties: {
            confirm: { type: 'boolean', title: `Yes, do this to ${danger.subject}`, default: false },
          },
          required: ['confirm'],
        },
      }),
    },
    requestState: `${until}.${await seal(sealed(planHash, until))}`,
  });
}

const sealed = (planHash: string, until: string) => `mcp confirmation ${planHash} until ${until}`;

const digest = (text: string) => createHash('sha256').update(text).digest();
const equal = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));
