import { randomBytes } from 'node:crypto';
import type { FromSender } from '@hortus/contract/transfer';
import { chunkOffered, digestOf, isCalled, type OfferedChunk } from './chunk-name.ts';
import type { Link } from './link.ts';

/**
 * Receives a content that is handed on at once and kept nowhere. Only the names of what was handed on are remembered: after a
 * lost connection it goes on where it was, and a sender who has to begin anew is told what need not come again.
 */
export class Incoming {
  readonly #key = randomBytes(32);
  readonly #handedOn: { readonly name: string }[] = [];
  #bytes = 0;

  get progress(): { readonly chunks: number; readonly bytes: number } {
    return { chunks: this.#handedOn.length, bytes: this.#bytes };
  }

  /** What comes over one connection, until all has come. */
  async *over(link: Link): AsyncGenerator<Buffer> {
    const wanted: OfferedChunk[] = [];
    let chunk: Buffer | undefined;
    let arrived = 0;
    link.say({ type: 'next', index: this.#handedOn.length, key: this.#key.toString('base64') });
    for await (const message of link.heard()) {
      if (!Buffer.isBuffer(message)) {
        if (message.type === 'end') return this.#end(link, message);
        if (message.type === 'offer') this.#consider(link, chunkOffered(message), wanted);
        continue;
      }
      const [due] = wanted;
      if (!due) throw new Error('Bytes came that nobody has asked for.');
      if (arrived + message.length > due.length) throw new Error('More bytes came than were announced.');
      chunk ??= Buffer.allocUnsafeSlow(due.length);
      arrived += message.copy(chunk, arrived);
      if (arrived < due.length) continue;
      if (!isCalled(chunk, due.name, this.#key)) throw new Error('A chunk arrived damaged.');
      wanted.shift();
      yield chunk;
      this.#handedOn.push(due);
      this.#bytes += chunk.length;
      chunk = undefined;
      arrived = 0;
      link.say({ type: 'have', index: due.index });
    }
  }

  /** Wants it, unless it was handed on already, over an earlier connection. */
  #consider(link: Link, offered: OfferedChunk, wanted: OfferedChunk[]): void {
    const { index, name } = offered;
    const before = this.#handedOn[index];
    if (before === undefined) {
      if (index !== this.#handedOn.length + wanted.length) throw new Error('A chunk was offered out of order.');
      wanted.push(offered);
      link.say({ type: 'want', index });
      return;
    }
    if (before.name !== name) throw new Error('The other end reads something else than it did before.');
    link.say({ type: 'have', index });
  }

  #end(link: Link, { chunks, sha256 }: Extract<FromSender, { type: 'end' }>): void {
    if (this.#handedOn.length !== chunks || digestOf(this.#handedOn) !== sha256)
      throw new Error('Something is missing at the end.');
    link.say({ type: 'done', sha256 });
  }
}
