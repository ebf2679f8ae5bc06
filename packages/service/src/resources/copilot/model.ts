export interface ModelOptions {
  /** Base URL, without `/chat/completions`. */
  readonly url: string;
  readonly key: string | undefined;
  readonly model: string;
  /** Timeout until the answer begins, and between two chunks. */
  readonly timeoutMs?: number;
}

export interface Message {
  readonly role: 'system' | 'user';
  readonly content: string;
}

export interface ModelResponse {
  readonly text: string;
  readonly promptTokens: number;
  readonly answerTokens: number;
}

/** The model gave no or only part of an answer. The provider's own message is not passed on: it may quote the key. */
export class ModelFailure extends Error {
  override name = 'ModelFailure';
  /** Part of the answer has already been streamed. */
  readonly begun: boolean;
  constructor(message: string, begun: boolean) {
    super(message);
    this.begun = begun;
  }
}

const TIMEOUT_MS = 30_000;
const MAX_RESPONSE_LENGTH = 32_768;

/** Queries a model through the OpenAI chat completions protocol and streams each chunk to `notify`. */
export async function askModel(
  options: ModelOptions,
  messages: readonly Message[],
  { notify, signal }: { notify: (text: string) => void; signal: AbortSignal },
): Promise<ModelResponse> {
  const { url, key, model, timeoutMs = TIMEOUT_MS } = options;
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), timeoutMs);
  const onReceived = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), timeoutMs);
  };
  let text = '';
  let usage: { prompt_tokens?: number; completion_tokens?: number } = {};
  try {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.any([signal, silence.signal]),
      headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, messages, stream: true, stream_options: { include_usage: true } }),
    });
    if (!response.ok || !response.body) throw new ModelFailure(`The model answered HTTP ${response.status}.`, false);
    for await (const data of eventData(response.body)) {
      onReceived();
      if (data === '[DONE]') break;
      const piece = JSON.parse(data) as Piece;
      if (piece.error) throw new ModelFailure('The model stopped in the middle of its answer.', text !== '');
      usage = piece.usage ?? usage;
      const more = piece.choices?.[0]?.delta?.content ?? '';
      if (more === '') continue;
      text += more;
      if (text.length > MAX_RESPONSE_LENGTH) throw new ModelFailure('The answer of the model is too long.', true);
      notify(more);
    }
  } catch (error) {
    if (error instanceof ModelFailure) throw error;
    const why = silence.signal.aborted ? 'did not answer in time' : 'could not be reached or sent an invalid response';
    throw new ModelFailure(`The model ${why}.`, text !== '');
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
  if (text === '') throw new ModelFailure('The model returned an empty answer.', false);
  return { text, promptTokens: count(usage.prompt_tokens), answerTokens: count(usage.completion_tokens) };
}

interface Piece {
  readonly error?: unknown;
  readonly usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
}

const count = (tokens: unknown): number => (Number.isSafeInteger(tokens) && Number(tokens) > 0 ? Number(tokens) : 0);

/** Yields the data of server-sent events, reassembled across chunk boundaries. */
async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_RESPONSE_LENGTH) throw new Error('A line of the event stream is too long.');
    for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim();
  }
  if (rest.startsWith('data:')) yield rest.slice(5).trim();
}
