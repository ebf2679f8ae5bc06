import type { Row } from '../../../storage/tables.ts';
import type { Message, MessageItem } from '../message.ts';

export interface Queued {
  readonly alert_id: string;
  readonly phase: 'opened' | 'resolved';
}

/** Alerts that a message shows; further ones are counted. */
export const MAX_SHOWN = 10;

type AlertText = Pick<Row<'alerts'>, 'id' | 'kind' | 'title' | 'text' | 'fix' | 'since' | 'resolved_at' | 'opened_at'>;

/**
 * Chooses what a message reports. An alert that ended before its opening was reported is reported once, as resolved.
 * Open alerts come first, and of these the servers, because they explain others.
 */
export function choose(queued: readonly Queued[]): Queued[] {
  const resolved = new Set(queued.filter(({ phase }) => phase === 'resolved').map(({ alert_id }) => alert_id));
  return queued.filter(({ alert_id, phase }) => phase === 'resolved' || !resolved.has(alert_id));
}

export function compose(
  { id, at, link }: Pick<Message, 'id' | 'at' | 'link'>,
  chosen: readonly Queued[],
  alerts: readonly AlertText[],
): Message {
  const byId = new Map(alerts.map((alert) => [alert.id, alert]));
  const known = chosen
    .flatMap(({ alert_id, phase }) => {
      const alert = byId.get(alert_id);
      return alert ? [{ alert, phase }] : [];
    })
    .sort((a, b) => rank(a) - rank(b) || a.alert.since - b.alert.since);
  const items = known.slice(0, MAX_SHOWN).map(
    ({ alert, phase }): MessageItem => ({
      phase,
      title: alert.title,
      text: alert.text,
      fix: alert.fix,
      since: alert.since,
      ended: phase === 'resolved' ? alert.resolved_at : null,
    }),
  );
  return { id, at, link, items, more: chosen.length - items.length };
}

const rank = ({ alert, phase }: { alert: AlertText; phase: Queued['phase'] }): number =>
  (phase === 'opened' ? 0 : 2) + (alert.kind === 'server_offline' ? 0 : 1);
