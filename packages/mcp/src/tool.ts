import type { ConfirmationRequest } from '@hortus/contract/resources/confirmations';
import type { Static, TObject } from 'typebox';
import type { Service } from './service.ts';

/** What a tool may use during one call. */
export interface ToolContext {
  readonly service: Service;
  /** Fires if the client cancels the call. */
  readonly signal: AbortSignal;
  /** Answers of the person in front of the client. */
  readonly person: Person;
  /** Longest time that a call may wait for progress. */
  readonly waitMs: number;
}

/** The person in front of the client, as far as the client lets us ask. */
export interface Person {
  /** Whether the client can show a question of ours. */
  readonly canBeAsked: boolean;
  /** Returns the answer to the question about exactly this plan; undefined if it was not asked. */
  confirmationOf(planHash: string): Promise<'confirmed' | 'declined' | undefined>;
}

/** A call that destroys or replaces something. A person confirms it, never the model. */
export interface Danger {
  /** Name of what is changed. */
  readonly subject: string;
  readonly question: string;
  readonly call: Omit<ConfirmationRequest, 'reason'>;
}

export type Outcome =
  | { readonly text: string; readonly failed?: true }
  /** The client must ask the person and repeat the call with the answer. */
  | { readonly ask: Danger; readonly planHash: string };

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly kind: 'read' | 'change' | 'danger';
  /** Whether a call may lose data or containers: always with kind `danger`, with some arguments otherwise. */
  readonly destructive: boolean;
  readonly input: TObject;
  run(context: ToolContext, args: Readonly<Record<string, unknown>>): Promise<Outcome>;
}

/** Defines a tool that only reads; its arguments were checked against `input`. */
export const readTool = <Input extends TObject>(row: {
  name: string;
  title: string;
  description: string;
  input: Input;
  read(context: ToolContext, args: Static<Input>): Promise<string>;
}): Tool => ({
  ...row,
  kind: 'read',
  destructive: false,
  run: async (context, args) => ({ text: await row.read(context, args as Static<Input>) }),
});

/** Thrown by tools for a mistake in the arguments; the message is shown to the model. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
