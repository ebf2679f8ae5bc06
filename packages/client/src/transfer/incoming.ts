import type { FromSender } from '@hortus/contract/transfer';
import { digestOf, hashOf } from './hash.ts';
import type { Link } from './link.ts';

type Offer = Extract<FromSender, { type: 'offer' }>;

/**
 * Receives a content that is handed on at once and kept nowhere. Only the hashes of what was handed on are remembered: after a
 * lost connection it goes on where it was, and a sender who has to begin anew is told what need not come again.
 */
export class Incoming {
  readonly #handedOn: { readonly sha256: string }[] = [];
  #bytes = 0;

  get progress(): { readonly chunks: number; readonly bytes: number } {
    return { chunks: this.#handedOn.length, bytes: this.#bytes };
  }

  /** What comes over one connection, until all has come. */
  async *over(link: Link): AsyncGenerator<Buffer> {
    const wanted: Offer[] = [];
    let pieces: Buffer[] = [];
    let arrived = 0;
    link.say({ type: 'next', index: this.#handedOn.length });
    for await (const message of link.heard()) {
      if (!Buffer.isBuffer(message)) {
        if (message.type === 'offer' && !this.#has(link, message)) {
          if (message.index !== this.#handedOn.length + wanted.length)
            throw new Error('A chunk was offered out of order.');
          wanted.push(message);
          link.say({ type: 'want', index: message.index });
        }
        if (message.type === 'end') return this.#end(link, message);
        continue;
      }
      const [due] = wanted;
      if (!due) throw new Error('Bytes came that nobody has asked for.');
      pieces.push(message);
      arrived += message.length;
      if (arrived < due.length) continue;
      const chunk = Buffer.concat(pieces);
      if (hashOf(chunk) !== due.sha256) throw new Error('A chunk arrived damaged.');
      pieces = [];
      arrived = 0;
      wanted.shift();
      yield chunk;
      this.#handedOn.push({ sha256: due.sha256 });
      this.#bytes += chunk.length;
      link.say({ type: 'have', index: due.index });
    }
  }

  /** Whether it was handed on already, over an earlier connection. */
  #has(link: Link, { index, sha256 }: Offer): boolean {
    const before = this.#handedOn[index];
    if (before === undefined) return false;
    if (before.sha256 !== sha256) throw new Error('The other end reads something else than it did before.');
    link.say({ type: 'have', index });
    return true;
  }

  #end(link: Link, { chunks, sha256 }: Extract<FromSender, { type: 'end' }>): void {
    if (this.#handedOn.length !== chunks || digestOf(this.#handedOn) !== sha256)
      throw new Error('Something is missing at the end.');
    link.say({ type: 'done', sha256 });
  }
}
