/** One alert in a message. */
export interface MessageItem {
  readonly phase: 'opened' | 'resolved';
  /** What happened, to what. */
  readonly title: string;
  readonly text: string;
  /** What to do: a command line. */
  readonly fix: string;
  readonly since: number;
  readonly ended: number | null;
}

/** Content of a message, independent of the channel. Contains no secret. */
export interface Message {
  readonly id: string;
  readonly at: number;
  readonly items: readonly MessageItem[];
  /** Number of further alerts that are only counted. */
  readonly more: number;
  readonly link: string;
  readonly test?: true;
}

export const isOver = ({ items }: Message): boolean => items.every(({ phase }) => phase === 'resolved');

export function titleOf(message: Message): string {
  if (message.test) return 'Hortus: test message';
  const [first] = message.items;
  if (message.items.length === 1 && message.more === 0 && first) return headingOf(first);
  const opened = message.items.filter(({ phase }) => phase === 'opened').length;
  const resolved = message.items.length - opened;
  const counts = [opened > 0 && `${opened} open`, resolved > 0 && `${resolved} resolved`].filter(Boolean).join(', ');
  return `Alerts: ${counts}${message.more > 0 ? `, ${message.more} more` : ''}`;
}

export const headingOf = ({ phase, title }: MessageItem): string =>
  phase === 'opened' ? `Alert: ${title}` : `Resolved: ${title}`;

/** Lines below the heading. */
export function detailsOf({ phase, text, fix, since, ended }: MessageItem): string[] {
  if (phase === 'resolved')
    return [`From ${minuteOf(since)} to ${minuteOf(ended ?? since)} (${lasted((ended ?? since) - since)}).`];
  return [`Since ${minuteOf(since)}.${text === '' ? '' : ` ${text}`}`, ...(fix === '' ? [] : [`To do: ${fix}`])];
}

/** The remark about alerts that the message only counts; undefined if there are none. */
export const moreOf = ({ more }: Message): string | undefined =>
  more > 0 ? `${more} more alerts are summarised here; list them with: hortus alerts` : undefined;

const TEST = 'This channel works. Alerts about servers, instances, deployments and backups arrive here.';

/** The whole message as plain text, without its title if it has one item. */
export function textOf(message: Message): string {
  if (message.test) return `${TEST}\n\n${message.link}`;
  const single = message.items.length === 1 && message.more === 0;
  const blocks = message.items.map((item) => [...(single ? [] : [headingOf(item)]), ...detailsOf(item)].join('\n'));
  return [...blocks, moreOf(message), message.link].filter((part) => part !== undefined).join('\n\n');
}

const minuteOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function lasted(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} days`;
}
