export interface ModelOptions {
  /** Ends before `/chat/completions`. */
  readonly url: string;
  readonly key: string | undefined;
  readonly model: string;
  /** Until the answer begins, and between two pieces of it. */
  readonly patienceMs?: number;
}

export interface Message {
  readonly role: 'system' | 'user';
  readonly content: string;
}

export interface ModelAnswer {
  readonly text: string;
  readonly promptTokens: number;
  readonly answerTokens: number;
}

/** The model gave no answer, or not the whole of one. What it said of itself is not passed on: it may quote the key. */
export class ModelFailure extends Error {
  override name = 'ModelFailure';
  /** Some of the answer has been told already. */
  readonly begun: boolean;
  constructor(message: string, begun: boolean) {
    super(message);
    this.begun = begun;
  }
}

const PATIENCE_MS = 30_000;
const LONGEST_ANSWER = 32_768;

/** Asks a model behind the protocol of OpenAI's chat completions, and tells each piece as it comes. */
export async function askModel(
  options: ModelOptions,
  messages: readonly Message[],
  { tell, signal }: { tell: (text: string) => void; signal: AbortSignal },
): Promise<ModelAnswer> {
  const { url, key, model, patienceMs = PATIENCE_MS } = options;
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), patienceMs);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), patienceMs);
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
      heard();
      if (data === '[DONE]') break;
      const piece = JSON.parse(data) as Piece;
      if (piece.error) throw new ModelFailure('The model broke off.', text !== '');
      usage = piece.usage ?? usage;
      const more = piece.choices?.[0]?.delta?.content ?? '';
      if (more === '') continue;
      text += more;
      if (text.length > LONGEST_ANSWER) throw new ModelFailure('The model did not come to an end.', true);
      tell(more);
    }
  } catch (error) {
    if (error instanceof ModelFailure) throw error;
    const why = silence.signal.aborted ? 'did not answer in time' : 'could not be understood or reached';
    throw new ModelFailure(`The model ${why}.`, text !== '');
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
  if (text === '') throw new ModelFailure('The model said nothing.', false);
  return { text, promptTokens: count(usage.prompt_tokens), answerTokens: count(usage.completion_tokens) };
}

interface Piece {
  readonly error?: unknown;
  readonly usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
}

const count = (tokens: unknown): number => (Number.isSafeInteger(tokens) && Number(tokens) > 0 ? Number(tokens) : 0);

/** The data of server-sent events, however the bytes were cut on their way. */
async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_ANSWER) throw new Error('A line without end.');
    for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim();
  }
  if (rest.startsWith('data:')) yield rest.slice(5).trim();
}
