/**
 * Tells the other parts of this process, and the other replicas, that something is worth looking at. A message may be
 * lost or come twice: whoever listens also sweeps, the bus only makes it quick.
 */
export interface Bus {
  publish(topic: string, message?: string): void;
  /** Answers a function that ends the subscription. */
  subscribe(topic: string, listener: (message: string) => void): () => void;
  /**
   * Called when messages of other replicas may have been missed (the connection to them was down): whoever keeps a copy
   * of the truth throws it away.
   */
  onGap(listener: () => void): void;
  close(): Promise<void>;
}
