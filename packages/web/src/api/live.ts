import type { Event } from '@hortus/contract/resources/events';
import type { QueryClient } from '@tanstack/react-query';
import { client } from './client.ts';
import { mayRefresh } from './rate-budget.ts';

/** Reads to renew after an event of a resource, by the beginning of their endpoint's name. Others renew `<type>s.`. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  deployment: ['deployments.', 'instances.', 'definitions.', 'rehearsals.'],
  definition: ['definitions.', 'instances.', 'deployments.'],
  execution: ['actions.', 'instances.', 'backups.', 'rehearsals.'],
  key: ['keys.'],
  user: ['members.', 'account.'],
  invite: ['members.'],
  account: ['account.', 'members.', 'accounts.'],
  template: ['templates.', 'drafts.', 'catalog.', 'taxonomy.'],
  recipe: ['recipes.'],
  migration: ['migrations.', 'tenants.', 'definitions.', 'evacuations.'],
  server: ['servers.', 'clusters.', 'capacity.', 'daemon-updates.'],
  garden_run: ['gardens.'],
  garden_commit: ['gardens.'],
  daemon_update: ['daemon-updates.', 'servers.'],
  notification_channel: ['notifications.'],
  notification_rule: ['notifications.'],
};

/** Events of a busy minute are answered with few refreshes; the first one still shows at once. */
const GATHER_MS = 60;
const PAUSE_MS = 2_000;
/** What changes without an event, such as capacity or a recovered health, is renewed this often while it is shown. */
const REFRESH_MS = 20_000;
/** Pause after the service has refused the stream, for example because the account has too many. */
const RETRY_MS = 30_000;

export type LiveState = 'connecting' | 'live' | 'lost';

interface Listeners {
  readonly event: Set<(event: Event) => void>;
  readonly state: Set<() => void>;
}

/** Follows the events of the account: one stream for this tab, whatever pages it shows. */
export class Live {
  readonly #queries: QueryClient;
  readonly #leaving = new AbortController();
  readonly #listeners: Listeners = { event: new Set(), state: new Set() };
  readonly #touched = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastRefresh = 0;
  state: LiveState = 'connecting';

  constructor(queries: QueryClient) {
    this.#queries = queries;
    void this.#followAgain();
    const refresh = setInterval(() => this.#refreshShown(), REFRESH_MS);
    this.#leaving.signal.addEventListener('abort', () => clearInterval(refresh));
  }

  /** Calls back with every event; returns the function that stops it. */
  readonly onEvent = (listener: (event: Event) => void): (() => void) => {
    this.#listeners.event.add(listener);
    return () => void this.#listeners.event.delete(listener);
  };

  readonly onState = (listener: () => void): (() => void) => {
    this.#listeners.state.add(listener);
    return () => void this.#listeners.state.delete(listener);
  };

  close(): void {
    this.#leaving.abort();
    clearTimeout(this.#timer);
  }

  /** The client reconnects by itself; it gives up only if the service refuses the stream. */
  async #followAgain(): Promise<void> {
    while (!this.#leaving.signal.aborted) {
      await this.#follow().catch(() => this.#become('lost'));
      // If the session has ended, this read finds out, and the person signs in again.
      void this.#queries.invalidateQueries({ queryKey: ['account.read'] });
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }

  async #follow(): Promise<void> {
    let opened = false;
    const onOpen = () => {
      this.#become('live');
      // Whatever happened while the stream was closed is not repeated in full.
      if (opened) this.#touch(['']);
      opened = true;
    };
    const stream = client.stream('events.list', { signal: this.#leaving.signal, onOpen });
    for await (const { event, data } of stream) {
      if (event === 'change') this.#received(data as Event);
      else if (event === 'gap') this.#touch(['']);
    }
  }

  #received(event: Event): void {
    for (const listener of this.#listeners.event) listener(event);
    this.#touch([...(CHANGES[event.resource_type] ?? [`${event.resource_type}s.`]), 'events.', 'overview.']);
  }

  #touch(prefixes: readonly string[]): void {
    for (const prefix of prefixes) this.#touched.add(prefix);
    if (this.#timer !== undefined) return;
    const pause = Math.max(GATHER_MS, this.#lastRefresh + PAUSE_MS - Date.now());
    this.#timer = setTimeout(() => this.#refreshTouched(), pause);
  }

  #refreshTouched(): void {
    this.#timer = undefined;
    if (!mayRefresh()) {
      this.#timer = setTimeout(() => this.#refreshTouched(), PAUSE_MS);
      return;
    }
    const prefixes = [...this.#touched];
    this.#touched.clear();
    this.#lastRefresh = Date.now();
    void this.#queries.invalidateQueries({
      predicate: ({ queryKey }) => prefixes.some((prefix) => String(queryKey[0]).startsWith(prefix)),
    });
  }

  #refreshShown(): void {
    if (document.visibilityState !== 'visible' || !mayRefresh()) return;
    void this.#queries.refetchQueries({ type: 'active', predicate: ({ queryKey }) => queryKey[0] !== 'account.read' });
  }

  #become(state: LiveState): void {
    this.state = state;
    for (const listener of this.#listeners.state) listener();
  }
}
