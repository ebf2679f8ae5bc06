import type { AssistantAnswer } from '@hortus/contract/resources/copilot';
import type { Principal } from '../../identity/principal.ts';
import { Problem } from '../../problem.ts';
import type { Log } from '../../process/log.ts';
import { composeReply, sourcesOf } from './compose.ts';
import type { Knowledge } from './knowledge.ts';
import { askModel, ModelFailure, type ModelOptions } from './model.ts';
import { promptFor, withoutKeys } from './prompt.ts';
import type { UsageMeter } from './usage.ts';

export interface AssistantDeps {
  readonly knowledge: Knowledge;
  readonly usage: UsageMeter;
  readonly model: ModelOptions | undefined;
  readonly log: Pick<Log, 'warn'>;
}

export interface Listener {
  /** Receives each chunk of the answer as it arrives. */
  readonly notify: (text: string) => void;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Answers from public knowledge only. The question is never stored or logged. */
export class Assistant {
  readonly #deps: AssistantDeps;
  constructor(deps: AssistantDeps) {
    this.#deps = deps;
  }

  async ask(principal: Principal, input: string, listener: Listener): Promise<AssistantAnswer> {
    const question = withoutKeys(input);
    const { knowledge, usage, model } = this.#deps;
    const counted = await usage.begin(principal);
    const sources = sourcesOf(await knowledge.search(question), question);
    const found = sources.length > 0;
    const written = model && (await this.#write(model, principal, question, sources, listener));
    if (written && model) {
      const { text, promptTokens, answerTokens } = written;
      const after = {
        ...counted,
        prompt_tokens: counted.prompt_tokens + promptTokens,
        answer_tokens: counted.answer_tokens + answerTokens,
      };
      return { answer: text, sources, found, model: model.model, usage: after };
    }
    const reply = composeReply(sources);
    listener.notify(reply);
    return { answer: reply, sources, found, model: null, usage: counted };
  }

  /** Falls back to quoted passages if the model does not answer; fails if it stops after part was streamed. */
  async #write(
    model: ModelOptions,
    principal: Principal,
    question: string,
    sources: AssistantAnswer['sources'],
    listener: Listener,
  ) {
    try {
      const written = await askModel(model, promptFor(question, sources), listener);
      await this.#deps.usage.tokens(principal, written.promptTokens, written.answerTokens);
      return written;
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      if (!listener.signal.aborted) this.#deps.log.warn({ reason: error.message }, 'assistant model request failed');
      if (error.begun) throw new Problem('SERVER_ERROR', `${error.message} Ask again.`);
      return undefined;
    }
  }
}
