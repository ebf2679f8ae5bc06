/**
 * Notifies the other parts of this process, and the other replicas, of changes. A message may be lost or duplicated:
 * listeners also sweep periodically, and the bus only reduces the delay.
 */
export interface Bus {
  publish(topic: string, message?: string): void;
  /** Returns a function that ends the subscription. */
  subscribe(topic: string, listener: (message: string) => void): () => void;
  /**
   * Called if messages of other replicas may have been missed, because the connection was lost: listeners must drop
   * their caches.
   */
  onGap(listener: () => void): void;
  close(): Promise<void>;
}
