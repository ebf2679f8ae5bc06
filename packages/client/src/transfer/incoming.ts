import { randomBytes } from 'node:crypto';
import type { FromSender } from '@hortus/contract/protocol/transfer';
import { chunkOffered, digestOf, isCalled, type OfferedChunk } from './chunk-name.ts';
import type { Link } from './link.ts';

/**
 * Receives content and passes it on without storing it. Keeps only the names of delivered chunks, so that a new
 * connection resumes and a sender that restarts can skip what was delivered.
 */
export class Incoming {
  readonly #key = randomBytes(32);
  readonly #handedOn: { readonly name: string }[] = [];
  #bytes = 0;

  get progress(): { readonly chunks: number; readonly bytes: number } {
    return { chunks: this.#handedOn.length, bytes: this.#bytes };
  }

  /** Yields the chunks that arrive over one connection, until the transfer is complete. */
  async *over(link: Link): AsyncGenerator<Buffer> {
    const wanted: OfferedChunk[] = [];
    let chunk: Buffer | undefined;
    let arrived = 0;
    link.say({ type: 'next', index: this.#handedOn.length, key: this.#key.toString('base64') });
    for await (const message of link.received()) {
      if (!Buffer.isBuffer(message)) {
        if (message.type === 'end') return this.#end(link, message);
        if (message.type === 'offer') this.#consider(link, chunkOffered(message), wanted);
        continue;
      }
      const [due] = wanted;
      if (!due) throw new Error('The other end sent bytes that were not requested.');
      if (arrived + message.length > due.length) throw new Error('The other end sent more bytes than it announced.');
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

  /** Requests a chunk unless an earlier connection delivered it. */
  #consider(link: Link, offered: OfferedChunk, wanted: OfferedChunk[]): void {
    const { index, name } = offered;
    const before = this.#handedOn[index];
    if (before === undefined) {
      if (index !== this.#handedOn.length + wanted.length) throw new Error('A chunk was offered out of order.');
      wanted.push(offered);
      link.say({ type: 'want', index });
      return;
    }
    if (before.name !== name) throw new Error('The content at the other end changed during the transfer.');
    link.say({ type: 'have', index });
  }

  #end(link: Link, { chunks, sha256 }: Extract<FromSender, { type: 'end' }>): void {
    if (this.#handedOn.length !== chunks || digestOf(this.#handedOn) !== sha256)
      throw new Error('The transfer ended with chunks missing.');
    link.say({ type: 'done', sha256 });
  }
}
