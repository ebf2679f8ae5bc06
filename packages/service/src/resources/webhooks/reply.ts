import { maskOf } from '@hortus/template/masking/masking';
import { keep } from '../../storage/truncated-text.ts';

/** Bytes of an answer that are kept and shown. */
const KEPT_BYTES = 4_096;

/**
 * Returns the beginning of an answer, without the signing secrets: a receiver may repeat them, and who reads
 * deliveries need not know them. Null if there was no answer.
 */
export async function keptReply(
  text: string | undefined,
  { secret, oldSecret }: { readonly secret: string; readonly oldSecret: string | undefined },
): Promise<string | null> {
  if (!text) return text ?? null;
  const mask = await maskOf(oldSecret === undefined ? [secret] : [secret, oldSecret]);
  return keep(await mask(text), KEPT_BYTES).text;
}
