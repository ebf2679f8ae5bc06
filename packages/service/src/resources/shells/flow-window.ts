import { SHELL_WINDOW_BYTES } from '@hortus/contract/protocol/shell-window';

/** Counts the unconfirmed bytes of one direction, so that neither end can make the service hold more than the window. */
export class FlowWindow {
  #unconfirmed = 0;

  /** Returns false if the sender has not waited for the receiver. */
  send(bytes: number): boolean {
    this.#unconfirmed += bytes;
    return this.#unconfirmed <= SHELL_WINDOW_BYTES;
  }

  /** Returns false if the receiver confirms more than it was sent. */
  confirm(bytes: number): boolean {
    this.#unconfirmed -= bytes;
    return this.#unconfirmed >= 0;
  }
}
